import type { Database } from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import {
  findHarvest,
  listSections,
  summarisePapers,
} from '../../../../src/areas/papers/queries.ts';
import { paperIndex } from '../../../../src/areas/papers/tables.ts';
import { digestPending } from '../../../../src/areas/papers/vector-queue.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import { searchWith } from '../../../search.ts';
import type { StandIn } from '../../../stand-ins/arxiv.ts';
import { makePaper, makePapers, withdrawalOf } from '../../../stand-ins/arxiv-papers.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { axis } from '../../../vectors.ts';
import { startHarvesting } from './harvesting.ts';
import { findPaper, searchCards } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let db: Database;
let arxiv: StandIn;
let clock: Date;

beforeEach(() => {
  clock = NOW;
});

async function start(records = makePapers(45), pageSize = 10) {
  const now = () => clock;
  const harvesting = await startHarvesting(now, { records, pageSize, joinRepeats: 2, now });
  ({ db, arxiv } = harvesting);
  return harvesting.run;
}

const matchesOf = async (text: string, vector: Float32Array | null, limit: number) =>
  (await searchWith(db, paperIndex, { text: text || 'unheard', vector, limit })).matches;
const oaiRequests = () => arxiv.requests.filter(({ path }) => path.startsWith('/oai'));
const paper = (id: string) => findPaper(db, id);

/** Computes vectors for the cards that lack them, and returns their number. */
function digest(meanwhile: () => void = () => {}) {
  const embed = async (texts: readonly string[]) => {
    meanwhile();
    return texts.map(() => axis(0));
  };
  return digestPending(db, embed, { signal: new AbortController().signal });
}

const NO_RECORDS = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-21T12:00:00Z</responseDate>
  <error code="noRecordsMatch">nothing</error></OAI-PMH>`;

it('a harvest stores every paper once, with its arXiv metadata', async () => {
  const run = await start();
  const counts = { added: 45, changed: 0, withdrawn: 0, finished: true };
  await expect(run()).resolves.toMatchObject(counts);
  for (const { id } of makePapers(45)) expect(paper(id)?.sourceId).toBe(`arxiv:${id}`);
  expect(paper('2609.00001')).toMatchObject({
    title: 'Order books after a tick size change, study 1',
    authors: ['Ngozi Okafor', 'Åsa M. Lindqvist'],
    categories: ['q-fin.TR', 'stat.ML'],
    licenseUrl: 'http://creativecommons.org/licenses/by/4.0/',
    pdfUrl: 'https://arxiv.org/pdf/2609.00001',
    version: null,
    published: '2026-05-01',
    updated: '2026-05-01',
    origin: 'arxiv',
    asOf: NOW.toISOString(),
  });
});

it('the first harvest starts a year back, and the second one on the day of the first response', async () => {
  const run = await start();
  await run();
  expect(oaiRequests()[0]?.path).toContain('from=2025-11-21');
  clock = new Date('2026-11-23T12:00:00Z');
  await expect(run()).resolves.toMatchObject({ added: 0, finished: true });
  expect(oaiRequests().at(-1)?.path).toContain('from=2026-11-21');
});

it('markup in a harvested abstract is shown as text', async () => {
  const abstract = 'On <b>banks</b>, [see](http://a.b) where $a<1$.';
  const run = await start([makePaper({ abstract })]);
  await run();
  const stored = paper('2609.00001');
  expect(stored?.abstract).toBe(abstract);
  expect(listSections(db, stored?.id ?? 0)).toMatchObject([
    { content: 'On < b>banks< /b>, [see] (http://a.b) where $a<1$.' },
  ]);
});

it('a first harvest without records is not recorded as finished, and the next one repeats it', async () => {
  const run = await start();
  arxiv.fault('ListRecords', [{ kind: 'body', body: NO_RECORDS, type: 'text/xml' }]);
  await expect(run()).resolves.toMatchObject({ added: 0, finished: true });
  expect(findHarvest(db, 'q-fin')?.finishedAt).toBeNull();
  clock = new Date('2026-11-22T12:00:00Z');
  await expect(run()).resolves.toMatchObject({ added: 45 });
});

it('a card that gets new authors during its embedding is found by them', async () => {
  const run = await start([makePaper({})]);
  await run();
  await digest(() => db.exec(`UPDATE paper SET authors = '["Ngozi Zeferino"]'`));
  expect(await matchesOf('Zeferino', null, 1)).toHaveLength(1);
});

const times = (count: number, fault: Fault): Fault[] => Array(count).fill(fault);

it.each([
  ['resumes after the last complete page', () => {}, 0, 'resumptionToken'],
  ['starts again if arXiv has lost its token', () => arxiv.expireTokens(), 1, 'from=2025-11-21'],
])('an interrupted harvest %s', async (_, interrupt, at, query) => {
  const run = await start();
  const broken = times(12, { kind: 'status', status: 500 });
  arxiv.fault(/resumptionToken/, [{ kind: 'none' }, ...broken]);
  await expect(run()).rejects.toThrow('status 500');
  expect(summarisePapers(db).count).toBe(19);
  interrupt();
  const { length } = oaiRequests();
  await expect(run()).resolves.toMatchObject({ finished: true, added: 26 });
  expect(oaiRequests()[length + at]?.path).toContain(query);
});

it('a harvest gives up if arXiv rejects the tokens that it has just issued', async () => {
  const run = await start();
  const log: string[] = [];
  const startProgress = () => () => arxiv.expireTokens();
  const options = { startProgress, log: (line: string) => log.push(line) };
  await expect(run(options)).rejects.toThrow('token has expired');
  expect(log).toHaveLength(1);
});

it('a harvest survives two failed requests in a row', async () => {
  const run = await start();
  arxiv.fault('ListRecords', times(11, { kind: 'status', status: 503 }));
  await expect(run()).resolves.toMatchObject({ added: 45 });
});

it('unchanged papers do not count towards the limit of a harvest, so repeated small harvests reach the end', async () => {
  const run = await start();
  for (const added of [7, 7, 7, 7, 7, 7, 3]) {
    await expect(run({ limit: 7 })).resolves.toMatchObject({ added, finished: added < 7 });
  }
  expect(summarisePapers(db).count).toBe(45);
});

it('the option --since sets the start of a harvest, and later harvests leave no gap', async () => {
  const run = await start();
  await run({ since: '2026-05-10' });
  expect(oaiRequests()[0]?.path).toContain('from=2026-05-10');
  expect(summarisePapers(db).count).toBeLessThan(45);
  clock = new Date('2026-11-25T12:00:00Z');
  await run({ since: '2026-11-24' });
  await run();
  expect(oaiRequests().at(-1)?.path).toContain('from=2026-11-21');
  await run({ since: '2026-01-01' });
  expect(summarisePapers(db).count).toBe(45);
});

it('a later harvest updates metadata, and only a paper with a new abstract is digested again', async () => {
  const run = await start(makePapers(3));
  await run();
  expect(await digest()).toBe(3);
  const { summary } = paper('2609.00001') ?? {};
  const datestamp = '2026-11-22';
  const abstract = 'Now it is about catastrophe bonds.';
  arxiv.change('2609.00001', { datestamp, comment: 'Accepted somewhere' });
  arxiv.change('2609.00002', { datestamp, updated: datestamp, version: 2, abstract });
  clock = new Date('2026-11-23T12:00:00Z');
  await expect(run()).resolves.toMatchObject({ added: 0, changed: 1, unchanged: 1 });
  expect(await digest()).toBe(1);
  expect(paper('2609.00001')).toMatchObject({ comment: 'Accepted somewhere', summary });
  expect(paper('2609.00002')?.abstract).toBe(abstract);
  const [best] = await matchesOf('catastrophe', null, 1);
  expect(best?.id).toBe(paper('2609.00002')?.id);
  expect((await matchesOf('dealers', null, 10)).map(({ id }) => id)).not.toContain(best?.id);
});

it('a later harvest removes withdrawn and deleted papers from search, and restores one that returns', async () => {
  const run = await start(makePapers(3));
  await run();
  await digest();
  const [first, second] = arxiv.records;
  if (first === undefined || second === undefined) throw new Error('no records');
  arxiv.change(first.id, withdrawalOf(first, '2026-11-22'));
  arxiv.change(second.id, { deleted: true, datestamp: '2026-11-22' });
  clock = new Date('2026-11-23T12:00:00Z');
  await expect(run()).resolves.toMatchObject({ withdrawn: 2 });
  const left = (await matchesOf('costs dealers', axis(0), 10)).map(({ id }) => id);
  expect(left).toEqual([paper('2609.00003')?.id]);
  expect(paper(first.id)?.withdrawn).toBe(1);
  await expect(run()).resolves.toMatchObject({ withdrawn: 0 });

  arxiv.change(second.id, { deleted: false, datestamp: '2026-11-24' });
  clock = new Date('2026-11-25T12:00:00Z');
  await expect(run()).resolves.toMatchObject({ changed: 1 });
  expect(await matchesOf('costs dealers', null, 10)).toHaveLength(2);
});

it.each([
  ['of a finished harvest', 'last', ''],
  // Their records may have changed in the gap.
  ['in a gap between two harvests', 'first', '', '2026-11-20'],
  ['of another field', 'first', `UPDATE paper SET categories = '["cs.LG"]'`],
  // They are on the shelf as if they had been read one by one.
  ['from before the first harvested day', 'first', 'DELETE FROM harvest', '2026-11-20'],
])('asOf for papers %s is the time of the %s harvest', async (_, which, sql, since?: string) => {
  const run = await start(makePapers(5));
  clock = new Date('2026-06-10T12:00:00Z');
  await run();
  db.exec(sql);
  if (since === undefined) arxiv.records.length = 0;
  const before = clock.toISOString();
  clock = NOW;
  await run({ since });
  const { meta } = await searchCards(db, { query: 'order books' });
  expect(meta.asOf).toBe(which === 'last' ? NOW.toISOString() : before);
});

const unclosed = (xml: string) => xml.replace('<title>', '<title><b>');
const damaged = ['2609.00008', '2609.00044'];

it('a harvest completes despite damaged records, and the log names each once', async () => {
  const run = await start();
  for (const id of damaged) arxiv.change(id, { damage: unclosed });
  const log: string[] = [];
  const summary = await run({ log: (line) => void log.push(line) });
  expect(summary).toMatchObject({ added: 43, skipped: 2, finished: true });
  const lineFor = (id: string) => `Skipped 1 damaged record from arXiv: ${id} (malformed XML).`;
  expect(log).toEqual(damaged.map(lineFor));
  expect(findHarvest(db, 'q-fin')?.nextFrom).toBe('2026-11-21');
});

it('a harvest counts a damaged record once even if an expired token restarts the list', async () => {
  const run = await start();
  arxiv.change('2609.00008', { damage: unclosed });
  let pages = 0;
  const startProgress = () => () => {
    pages += 1;
    if (pages === 2) arxiv.expireTokens();
  };
  await expect(run({ startProgress })).resolves.toMatchObject({ added: 44, skipped: 1 });
});

it('a damaged record does not stop later harvests, even if it is the only record', async () => {
  const run = await start(makePapers(1));
  arxiv.change('2609.00001', { damage: unclosed });
  await expect(run()).resolves.toMatchObject({ added: 0, skipped: 1, finished: true });
  arxiv.change('2609.00001', { damage: (xml) => xml, datestamp: '2026-11-22' });
  clock = new Date('2026-11-22T12:00:00Z');
  await expect(run()).resolves.toMatchObject({ added: 1, skipped: 0, finished: true });
});

/** A page with one paper and a token for the next page. */
const onePaper = (number: number, token: number) => ({
  kind: 'body' as const,
  type: 'text/xml',
  body: `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-21</responseDate>
    <ListRecords><record><header><identifier>oai:arXiv.org:2609.0000${number}</identifier>
    <datestamp>2026-05-01</datestamp></header><metadata><arXiv><title>A</title></arXiv></metadata>
    </record><resumptionToken>${token}</resumptionToken></ListRecords></OAI-PMH>`,
});

it('a harvest rejects a list that repeats its papers under new tokens', async () => {
  const run = await start();
  arxiv.fault('ListRecords', [1, 2, 1, 3, 4].map(onePaper));
  await expect(run()).rejects.toThrow('loops back');
  expect(arxiv.requests).toHaveLength(3);
});

it('a harvest lets other processes read and write in the middle of a page', async () => {
  const run = await start(makePapers(100), 100);
  const other = openForWriting(db.name);
  const seen = new Set<number>();
  let done = false;
  const look = () => {
    if (done) return;
    seen.add(summarisePapers(other).count);
    other.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES ('charge', 'x')").run();
    setImmediate(look);
  };
  look();
  await run();
  done = true;
  other.close();
  expect([...seen].filter((count) => count > 0 && count < 100).length).toBeGreaterThan(0);
  expect(summarisePapers(db).count).toBe(100);
});
