import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../src/areas/papers/arxiv/ids.ts';
import { type StandIn, startArxiv } from '../stand-ins/arxiv.ts';
import { makeHtmlPage } from '../stand-ins/arxiv-pages.ts';
import { makePaper, type StandInPaper } from '../stand-ins/arxiv-papers.ts';
import { makeHold } from '../stand-ins/faults.ts';
import { callHere, makeShelf, runHere } from './in-process.ts';
import { type Env, modelDir, online, quantshelf } from './support.ts';
import { envelopeOf, startWire, type Wire } from './wire.ts';

/** A paper from the starter shelf, and one that is not on the shelf before a sync. */
const STARTER = '2504.09380';
const OTHER = '2609.00007';

const WORDS = 'Spreads widen when inventories grow and dealers are few. '.repeat(30);

function longPage(title: string, second: string): string {
  return makeHtmlPage({
    title,
    abstract: 'What dealers do when they hold too much.',
    sections: [
      { title: 'Introduction', text: WORDS },
      { title: second, text: WORDS, formula: String.raw`c = \lambda q^2` },
    ],
    references: ['A. Nobody. A book that was never written. 1999.'],
  });
}

function paperWithPage(id: string, more: Partial<StandInPaper> = {}): StandInPaper {
  const title = `Dealers and their inventories ${id}`;
  return makePaper({ id, title, html: longPage(title, 'Hedging costs'), ...more });
}

let arxiv: StandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  arxiv = await startArxiv({ records: [paperWithPage(STARTER), paperWithPage(OTHER)] });
  home = await makeShelf();
  env = online([arxiv]);
});
afterEach(() => arxiv.close());

/** The keys of all sections that a reply offers. */
const keysOf = (reading: object): string[] =>
  Object(reading).data.availableSections.map((each: { section_key: string }) => each.section_key);

const startServer = (more: Env = {}) => startWire(home, { ...env, ...more });

async function readFrom(wire: Wire, ...paper: Parameters<typeof read>) {
  return Object(await wire.ask('paper_read', read(...paper)));
}

const read = (id: string, ...sections: string[]) => ({
  paperCardId: cardIdOf(sourceIdOf(id)),
  ...(sections.length === 0 ? {} : { sections }),
});

describe('the first read of a paper', () => {
  it("replaces a starter card with arXiv's metadata and sections, and stores them", async () => {
    const wire = await startServer();
    const first = await readFrom(wire, STARTER);
    expect(first.data).toMatchObject({
      sourcePaperId: `arxiv:${STARTER}`,
      title: `Dealers and their inventories ${STARTER}`,
      version: 1,
      published: '2026-05-01',
      licenseUrl: 'http://creativecommons.org/licenses/by/4.0/',
      pdfUrl: `https://arxiv.org/pdf/${STARTER}v1`,
    });
    expect(first.data.abstract).not.toContain('Digest of the abstract by QuantShelf');
    const keys = ['abstract', 's01-introduction', 's02-hedging-costs', 'references'];
    expect(keysOf(first)).toEqual(keys);
    expect(first.data.sections[2].content).toContain('c = \\lambda q^2');
    expect(first.meta.notice).toBeUndefined();
    const sizes: { char_count: number }[] = first.data.availableSections;
    const sum = sizes.reduce((total, { char_count }) => total + char_count, 0);
    expect(first.data.fullTextCharCount).toBe(sum);

    const requestsBefore = arxiv.requests.length;
    const again = await readFrom(wire, STARTER, 's02-hedging-costs');
    expect(again.data.sections).toMatchObject([{ section_key: 's02-hedging-costs' }]);
    expect(arxiv.requests).toHaveLength(requestsBefore);
    expect(arxiv.maxInFlight).toBe(1);
  });

  it.each(['abstract', 's04-findings'])(
    'returns the stored section %s at once, and fetches the rest in the background',
    async (here) => {
      const wire = await startServer();
      const { fault, release } = makeHold();
      arxiv.fault('/oai', [fault]);
      wire.sendCall('whole', 'paper_read', read(STARTER));
      const note = await readFrom(wire, STARTER, here);
      expect(note.meta.notice).toMatch(/background/);
      // The first call still waits for the rest.
      const order = wire.frames.flatMap((frame) => ('id' in frame ? [frame.id] : []));
      expect(order).toEqual(['init', 'ask 1']);
      release();
      expect(keysOf(envelopeOf(await wire.response('whole')))).toContain('s02-hedging-costs');
    },
  );
});

it('a read returns the abstract if arXiv has no text at all, and later reads do not try again', async () => {
  arxiv.change(STARTER, { html: null, ar5iv: null, pdf: null });
  const wire = await startServer();
  const first = await readFrom(wire, STARTER);
  expect(first.meta.notice).toMatch(/Full text not stored.*there is no PDF/);
  const requestsBefore = arxiv.requests.length;
  const again = await readFrom(wire, STARTER, 'abstract');
  expect(again.data.sections).toHaveLength(1);
  expect(again.meta.notice).toBe(first.meta.notice);
  expect(arxiv.requests).toHaveLength(requestsBefore);
});

it('`quantshelf call` waits for arXiv, and reports a failure without promising work in the background', async () => {
  const read1 = ['call', 'paper_read', JSON.stringify(read(STARTER, 'abstract', 's04-findings'))];
  const { fault, release } = makeHold();
  arxiv.fault('/oai', [fault]);
  const waiting = quantshelf(read1, home, env);
  await expect.poll(() => arxiv.requests.length).toBeGreaterThan(0);
  // A call that did not wait would have answered by now.
  await delay(500);
  release();
  const waited = await waiting;
  expect(JSON.parse(waited.stdout).data.title).toBe(`Dealers and their inventories ${STARTER}`);

  arxiv.fault(() => true, Array(40).fill({ kind: 'status', status: 503 }));
  const other = ['call', 'paper_read', JSON.stringify(read('2504.14765'))];
  const { stdout, stderr } = await runHere(other, home, env);
  expect(JSON.parse(stdout).meta.notice).toMatch(/arXiv answered with status 503/);
  expect(stdout).not.toContain('background');
  expect(JSON.parse(stdout).data.abstract).toContain('Digest of the abstract by QuantShelf');
  expect(stderr).toMatch(/^papers: arxiv:2504\.14765: 127\.0\.0\.1:\d+ answered with status 503$/m);
  // The version, the HTML, the copy and the PDF fail alike, so one line is enough.
  expect(stderr.match(/status 503/g)).toHaveLength(1);
  expect(stderr).not.toMatch(/^\s+at /m);
});

it('a read fetches the text again after a sync has found a new version of the paper', async () => {
  await runHere(['sync', 'papers'], home, env);
  const wire = await startServer();
  const before = await readFrom(wire, OTHER);
  expect(before.data.version).toBe(1);
  const day = new Date().toISOString().slice(0, 10);
  arxiv.change(OTHER, {
    version: 2,
    updated: day,
    datestamp: day,
    html: longPage('Dealers, revised', 'Limits of hedging'),
  });
  await runHere(['sync', 'papers'], home, env);
  const after = await readFrom(wire, OTHER);
  expect(after.data.version).toBe(2);
  expect(after.data.pdfUrl).toBe(`https://arxiv.org/pdf/${OTHER}v2`);
  expect(keysOf(after)).toContain('s02-limits-of-hedging');
  expect(keysOf(after)).not.toContain('s02-hedging-costs');
});

it.skipIf(modelDir === null)(
  'a text fetched by a command is embedded by the next server that searches',
  async () => {
    expect(await callHere('paper_read', read(STARTER), home, env)).toHaveProperty('data');
    const wire = await startServer({
      QUANTSHELF_OFFLINE: '1',
      QUANTSHELF_MODEL_DIR: `${modelDir}`,
    });
    const { paperCardId } = read(STARTER);
    const search = { query: 'what dealers pay to hedge their inventories', topK: 10 };
    /** The sections that match, as text. */
    const sections = async () => {
      const { meta } = Object(await wire.ask('paper_search', search));
      return JSON.stringify(
        meta.matches.filter((each: object) => Object(each).paperCardId === paperCardId),
      );
    };
    expect(await sections()).not.toContain('s02-hedging-costs');
    await expect.poll(sections).toContain('s02-hedging-costs');
  },
);
