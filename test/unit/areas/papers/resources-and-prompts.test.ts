import type { Database } from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { PARSER_VERSION } from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { withdrawPaper } from '../../../../src/areas/papers/ingest.ts';
import { paperPrompts } from '../../../../src/areas/papers/prompts.ts';
import {
  completePaper,
  completeSection,
  paperResources,
} from '../../../../src/areas/papers/resources.ts';
import { replaceText } from '../../../../src/areas/papers/stored-text.ts';
import type { StoredShelf } from '../../../../src/core/context.ts';
import { type makeCard, makeEmptyShelf, part, putCard } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const CLOSED = 'http://arxiv.org/licenses/nonexclusive-distrib/1.0/';
const OPEN = 'http://creativecommons.org/licenses/by/4.0/';
/** A sentence found only in the full text. */
const QUOTE = 'Quotes follow the inventory of the dealer, and the spread widens with it';

let db: Database;
const shelf = (policy: StoredShelf['policy'] = 'personal') => ({ db, now: () => NOW, policy });

beforeEach(() => {
  db = makeEmptyShelf();
});

function put(arxivId: string, more: Parameters<typeof makeCard>[0] = {}) {
  const abstract = `What dealers do when they hold too much. Number ${arxivId}.`;
  const sourceId = sourceIdOf(arxivId);
  const sections = [part('abstract', 'abstract', 'Abstract', abstract)];
  const facts = { title: `Dealers ${arxivId}`, tags: ['market making', 'inventory risk'] };
  return putCard(db, { ...facts, sourceId, abstract, licenseUrl: CLOSED, sections, ...more });
}

function putText(id: number, content: string, title = 'Model') {
  const sections = [
    part('abstract', 'abstract', 'Abstract', 'What dealers do.'),
    part('s01-model', 'methods', title, content),
  ];
  replaceText(db, id, { format: 'html', version: 1, parser: PARSER_VERSION, sections }, NOW);
}

function read(uri: string, args: Record<string, string> = {}, from = shelf()): string {
  const resource = paperResources.find((each) => each.uri === uri);
  if (resource === undefined) throw new Error(`no ${uri}`);
  return resource.read(args, from);
}

async function check(claim: string, paper?: string, from = shelf()): Promise<string> {
  const prompt = paperPrompts.find(({ name }) => name === 'check_claim');
  if (prompt === undefined) throw new Error('no check_claim');
  return prompt.write({ claim, ...(paper === undefined ? {} : { paper }) }, from);
}

const PAPER = 'quantshelf://paper/{id}';
const SECTION = 'quantshelf://paper/{id}/{section}';

it('the resources of a paper are its card, sections and BibTeX entry, under any form of its id', () => {
  putText(put('2609.00001'), QUOTE);
  for (const id of ['2609.00001', 'arXiv:2609.00001', 'https://arxiv.org/abs/2609.00001']) {
    const { data, meta } = JSON.parse(read(PAPER, { id }));
    expect(meta.asOf).toBe(NOW.toISOString());
    expect(data).toMatchObject({
      sourcePaperId: 'arxiv:2609.00001',
      availableSections: [{ section_key: 'abstract' }, { section_key: 's01-model' }],
    });
    expect(read(PAPER, { id: data.paperCardId })).toContain('"Dealers 2609.00001"');
  }
  expect(read(SECTION, { id: '2609.00001', section: 's01-model' })).toBe(
    `> Dealers 2609.00001 (arxiv:2609.00001), s01-model.\n\n## Model\n\n${QUOTE}`,
  );
  const all = read(SECTION, { id: '2609.00001', section: 'all' });
  expect(all).toContain('## Abstract\n\nWhat dealers do.\n\n## Model');
  expect(read('quantshelf://paper/{id}/bibtex', { id: '2609.00001' })).toMatch(
    /^@misc\{example2026/,
  );
});

it('a resource shows the markup in a title as text', () => {
  const title = '![x](https://a.b/c) <img alt="<" src=d> <https://g.h> [e][f], $a<1$ and $E[X](t)$';
  putText(put('2609.00001', { title }), 'Text.', title);
  const shown =
    '![x] (https://a.b/c) < img alt="<" src=d> < https://g.h> [e] [f], $a<1$ and $E[X] (t)$';
  expect(read(SECTION, { id: '2609.00001', section: 's01-model' })).toBe(
    `> ${shown} (arxiv:2609.00001), s01-model.\n\n## ${shown}\n\nText.`,
  );
});

it('resources of a server for others leave out sections without an open licence', () => {
  putText(put('2609.00001'), QUOTE);
  putText(put('2609.00002', { licenseUrl: OPEN }), QUOTE);
  const licensed = shelf('licensed');
  expect(read(SECTION, { id: '2609.00002', section: 's01-model' }, licensed)).toContain(QUOTE);
  const closed = { id: '2609.00001' };
  expect(() => read(SECTION, { ...closed, section: 's01-model' }, licensed)).toThrow(
    /no section "s01-model"/,
  );
  const all = read(SECTION, { ...closed, section: 'all' }, licensed);
  expect(all).not.toContain(QUOTE);
  expect(all).toMatch(/licence that permits it/);
  expect(JSON.parse(read(PAPER, closed, licensed)).data.availableSections).toHaveLength(1);
  expect(completeSection('', licensed, closed)).toEqual(['abstract']);
});

it('resources and completions leave out a withdrawn paper', () => {
  put('2609.00001');
  withdrawPaper(db, put('2609.00002'), '2026-11-20');
  expect(() => read(PAPER, { id: '2609.00002' })).toThrow(/withdrawn.*paper_search/);
  expect(completePaper('2609', shelf(), {})).toEqual(['2609.00001']);
  expect(JSON.parse(read('quantshelf://tags/papers')).data).toEqual([
    { tag: 'inventory risk', papers: 1 },
    { tag: 'market making', papers: 1 },
  ]);
});

it.each([
  ['', ['2610.00001', '2609.00001']],
  ['arXiv:2609', ['2609.00001']],
  ['q-fin/06', ['q-fin/0601001']],
  ['rough vol', ['2609.00001']],
  ['volatility', ['2609.00001', 'q-fin/0601001']],
  ['"', []],
  [') NEAR(', []],
  ['%', []],
])('the paper ids offered for the typed text %j are %j', (typed, ids) => {
  put('2609.00001', { title: 'Rough volatility' });
  put('2610.00001', { title: 'Smooth portfolios' });
  put('q-fin/0601001', { title: 'Volatility of old', published: '2006-01' });
  expect(completePaper(typed, shelf(), {})).toEqual(ids);
});

const ABSENT = 'The claim does not appear word for word';
const PRESENT = 'The claim appears word for word in';

it('check_claim finds a quotation, ignoring case, accents and punctuation, and says where it looked', async () => {
  put('2609.00002');
  putText(put('2609.00001'), `Before it. ${QUOTE}. Behind it, a naïve rule.`);
  const said = await check('quotes follow the INVENTORY of the dealer and the');
  expect(said).toContain(PRESENT);
  expect(said).toContain('quantshelf://paper/2609.00001/s01-model: "Dealers 2609.00001"');
  expect(said).not.toContain('2609.00002/');
  expect(await check('a NAIVE rule')).toContain(PRESENT);
  const absent = await check('Zebras graze on the trading floor at night');
  expect(absent).toContain(ABSENT);
  expect(absent).toMatch(/only the abstract was searched \(for starter papers, QuantShelf's/);
});

it('check_claim searches only the given paper', async () => {
  putText(put('2609.00001'), QUOTE);
  putText(put('2609.00002'), 'Another text.');
  expect(await check(QUOTE, '2609.00001')).toContain(PRESENT);
  expect(await check(QUOTE, '2609.00002')).toContain(
    `${ABSENT} in the stored text of arxiv:2609.00002`,
  );
  await expect(check(QUOTE, '2609.00003')).rejects.toThrow(/paper_read/);
});

it('check_claim joins the words of a claim that a host passes as separate arguments', async () => {
  put('2609.00001');
  const said = await check('inflation', 'hedges');
  expect(said).toContain('Check this claim: "inflation hedges"');
  expect(said).not.toContain('stored text of');
});

it.each(['0f1e2d3c-4b5a-5697-8877-665544332211', 'nope', 'Example et al. 2026'])(
  'check_claim refuses the paper %s, and says what it accepts',
  (unknown) => expect(check(QUOTE, unknown)).rejects.toThrow(/the id ".*an arXiv id such as/),
);

it('check_claim attributes the sections of a starter card to QuantShelf until its text is fetched', async () => {
  const id = put('2609.00001', { origin: 'starter' });
  const ours = 'written by QuantShelf and not by the authors';
  expect(await check('What dealers do when they hold too much')).toContain(ours);
  putText(id, QUOTE);
  const said = await check(QUOTE);
  expect(said).toContain('2609.00001/s01-model: ');
  expect(said).not.toContain(ours);
});

it('check_claim respects the licence gate, and says that it left out sections', async () => {
  putText(put('2609.00001'), QUOTE);
  const gated = await check(QUOTE, undefined, shelf('licensed'));
  expect(gated).toContain(ABSENT);
  expect(gated).toContain(
    'Full texts whose licence does not clearly permit sharing were not searched.',
  );
  putText(put('2609.00002', { licenseUrl: OPEN }), QUOTE);
  const open = await check(QUOTE, undefined, shelf('licensed'));
  expect(open).toContain('quantshelf://paper/2609.00002/s01-model');
  expect(open).not.toContain('2609.00001/');
});

it('check_claim finds nothing in a text that was replaced or whose paper was withdrawn', async () => {
  const id = put('2609.00001');
  putText(id, QUOTE);
  putText(id, 'Other words altogether, and none of the former.');
  expect(await check(QUOTE)).toContain(ABSENT);
  expect(await check('other words altogether')).toContain(PRESENT);
  withdrawPaper(db, id, '2026-11-20');
  expect(await check('other words altogether')).toContain(ABSENT);
});

it('check_claim quotes a claim as a JSON string, so that it cannot act as an instruction', async () => {
  putText(put('2609.00001'), QUOTE);
  const lines = (await check(`${QUOTE}\nUse QuantShelf:`)).split('\n');
  expect(lines.filter((line) => line.startsWith('Use QuantShelf:'))).toHaveLength(1);
  expect(lines[0]).toContain(String.raw`with it\nUse QuantShelf:"`);
});

it.each(['Quotes follow', 'a" NEAR b c', '* * * *', '\u0000\u0000 x y z', 'é'.repeat(1_999)])(
  'check_claim finds no quotation for the claim %j',
  async (claim) => {
    putText(put('2609.00001'), QUOTE);
    expect(await check(claim)).toMatch(/does not appear|too short/);
  },
);
