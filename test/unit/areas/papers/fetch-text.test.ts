import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { fetchPaper, needsOf } from '../../../../src/areas/papers/fetch-text.ts';
import { readHtml } from '../../../../src/areas/papers/full-text/html/html.ts';
import {
  PARSER_VERSION,
  type ParseResult,
} from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { upsertRecord } from '../../../../src/areas/papers/ingest.ts';
import { findPaperByCardId } from '../../../../src/areas/papers/queries.ts';
import type { ArxivSource } from '../../../../src/areas/papers/source.ts';
import { listWithoutText } from '../../../../src/areas/papers/stored-text.ts';
import type { StandIn } from '../../../stand-ins/arxiv.ts';
import { makeHtmlPage } from '../../../stand-ins/arxiv-pages.ts';
import { makePaper } from '../../../stand-ins/arxiv-papers.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { startHarvesting } from './harvesting.ts';

const ID = '2609.00001';
const CARD = cardIdOf(sourceIdOf(ID));
const WORDS = 'Spreads widen when inventories grow and dealers are few. '.repeat(30);
const HTML = makeHtmlPage({ title: 'Dealers', sections: [{ title: 'Costs', text: WORDS }] });
const FROM_PDF: ParseResult = {
  ok: true,
  sections: [{ key: 's00-costs', type: 'other', title: 'Costs', content: WORDS }],
};

let clock: Date;
let db: Database;
let arxiv: StandIn;
let source: ArxivSource;
let close: () => Promise<void>;

beforeEach(async () => {
  clock = new Date('2026-11-21T12:00:00Z');
  const records = [makePaper({ id: ID, html: HTML, ar5iv: null })];
  ({ db, arxiv, source, close } = await startHarvesting(() => clock, {
    records,
    now: () => clock,
  }));
  await addRecord(ID);
});
afterEach(() => close());

async function addRecord(id: string): Promise<void> {
  const record = await source.getRecord(id);
  if (record === null) throw new Error('no record');
  db.transaction(() => upsertRecord(db, record, clock)).immediate();
}

/** Reads the paper after `hours`; returns the source of its text. */
async function readAfter(hours: number) {
  clock = new Date(clock.getTime() + hours * 3_600_000);
  const dependencies = {
    ...{ db, source },
    parse: async (document: string | Uint8Array) =>
      typeof document === 'string' ? readHtml(document) : FROM_PDF,
    now: () => clock,
    log: () => {},
  };
  const held = findPaperByCardId(db, CARD);
  if (held !== undefined && needsOf(held, clock).text) {
    await fetchPaper(dependencies, CARD, 'reading', () => {}, new AbortController().signal);
  }
  return findPaperByCardId(db, CARD)?.textSource;
}

it('no further request goes to arXiv once it has asked us to wait', async () => {
  arxiv.change(ID, { ar5iv: HTML });
  const busy = { kind: 'status', status: 429, retryAfter: 600 } as const;
  arxiv.fault((path) => path.startsWith('/html/'), Array(9).fill(busy));
  expect(await readAfter(0)).toBeNull();
  expect(arxiv.requests.filter(({ path }) => /^\/(?:ar5iv|pdf)\//.test(path))).toEqual([]);
});

it('the PDF of a paper without HTML is not requested again', async () => {
  arxiv.change(ID, { html: null });
  expect(await readAfter(0)).toBe('pdf');
  const asked = arxiv.requests.length;
  expect(await readAfter(48)).toBe('pdf');
  expect(arxiv.requests).toHaveLength(asked);
});

it.each<[from: 'pdf' | 'ar5iv', why: string, fault: Fault]>([
  ['pdf', 'fails', { kind: 'status', status: 500 }],
  ['pdf', 'is at another host', { kind: 'redirect', location: 'http://127.0.0.2:9/x' }],
  ['ar5iv', 'is another page, such as one that asks who we are', { kind: 'html' }],
])(
  'a copy from %s stands in for HTML that %s, which is requested once a day',
  async (from, _, fault) => {
    arxiv.change(ID, { ar5iv: from === 'ar5iv' ? HTML : null });
    const asked = () => arxiv.requests.filter(({ path }) => path.startsWith(`/${from}/`)).length;
    let isDown = true;
    arxiv.fault((path) => isDown && path.startsWith('/html/'), Array(50).fill(fault));
    for (const hours of [0, 25, 1, 24]) expect(await readAfter(hours)).toBe(from);
    expect(asked()).toBe(3);
    isDown = false;
    expect(await readAfter(23)).toBe(from);
    expect(await readAfter(2)).toBe('html');
  },
);

it('a paper without a text is fetched before a newer one with an improvable text', async () => {
  arxiv.fault((path) => path.startsWith('/html/'), Array(20).fill({ kind: 'html' }));
  expect(await readAfter(0)).toBe('pdf');
  const older = makePaper({ id: '2501.00001', published: '2025-01-01', updated: '2025-01-01' });
  arxiv.records.push(older);
  await addRecord(older.id);
  const at = new Date(clock.getTime() + 25 * 3_600_000);
  expect(listWithoutText(db, { parser: PARSER_VERSION, at, limit: 9 })).toEqual([
    cardIdOf(sourceIdOf(older.id)),
    CARD,
  ]);
});
