import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import {
  type FullTextDependencies,
  fetchPaper,
  needsOf,
} from '../../../../src/areas/papers/fetch-text.ts';
import { readHtml } from '../../../../src/areas/papers/full-text/html/html.ts';
import {
  PARSER_VERSION,
  type ParseResult,
} from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { upsertRecord } from '../../../../src/areas/papers/ingest.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { createPaperRefresher, type PaperRefresher } from '../../../../src/areas/papers/refresh.ts';
import { listWithoutText } from '../../../../src/areas/papers/stored-text.ts';
import type { StandIn } from '../../../stand-ins/arxiv.ts';
import { makeHtmlPage } from '../../../stand-ins/arxiv-pages.ts';
import { makePaper, type StandInPaper, withdrawalOf } from '../../../stand-ins/arxiv-papers.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { startHarvesting } from './harvesting.ts';
import { failureOf, findPaper, recordOf } from './shelf.ts';

const ID = '2609.00001';
const CARD = cardIdOf(sourceIdOf(ID));
const WORDS = 'Spreads widen when inventories grow and dealers are few. '.repeat(30);
const HTML = makeHtmlPage({ title: 'Dealers', sections: [{ title: 'Costs', text: WORDS }] });
const FROM_PDF: ParseResult = {
  ok: true,
  sections: [{ key: 's00-costs', type: 'other', title: 'Costs', content: WORDS }],
};

const NEW = makePaper({}, 1);
const WITHDRAWN = makePaper({}, 2);
const { signal } = new AbortController();

let clock: Date;
let isUnreachable: boolean;
let db: Database;
let arxiv: StandIn;
let refresher: PaperRefresher;
let dependencies: FullTextDependencies;

beforeEach(async () => {
  clock = new Date('2026-11-21T12:00:00Z');
  isUnreachable = false;
  const now = () => clock;
  const stored = makePaper({ id: ID, html: HTML, ar5iv: null });
  const records = [stored, NEW, { ...WITHDRAWN, ...withdrawalOf(WITHDRAWN, '2026-11-20') }];
  const harvesting = await startHarvesting(now, { records, now });
  ({ db, arxiv } = harvesting);
  dependencies = {
    db,
    source: harvesting.source,
    parse: async (document) => (typeof document === 'string' ? readHtml(document) : FROM_PDF),
    now,
    log: () => {},
  };
  refresher = createPaperRefresher({
    ...dependencies,
    embedLater: () => {},
    reachability: { isUpstreamUnreachable: () => isUnreachable },
  });
  store(stored);
});
afterEach(() => refresher.close());

function store(paper: StandInPaper): void {
  db.transaction(() => upsertRecord(db, recordOf(paper), clock)).immediate();
}

const paper = (id: string) => findPaper(db, id);
const add = (id: string) => refresher.add(id, () => {}, signal);

/** Reads the paper after `hours`; returns the format of its text. */
async function readAfter(hours: number) {
  clock = new Date(clock.getTime() + hours * 3_600_000);
  const stored = paper(ID);
  if (stored !== undefined && needsOf(stored, clock).text) {
    await fetchPaper(dependencies, CARD, 'awaited', () => {}, signal);
  }
  return paper(ID)?.textFormat;
}

it('no further format is requested once arXiv has asked us to wait', async () => {
  arxiv.change(ID, { ar5iv: HTML });
  const busy = { kind: 'status', status: 429, retryAfter: 600 } as const;
  arxiv.fault((path) => path.startsWith('/html/'), Array(9).fill(busy));
  expect(await readAfter(0)).toBeNull();
  expect(arxiv.requests.filter(({ path }) => /^\/(?:ar5iv|pdf)\//.test(path))).toEqual([]);
});

it('the PDF of a paper without HTML is not requested again', async () => {
  arxiv.change(ID, { html: null });
  expect(await readAfter(0)).toBe('pdf');
  const { length } = arxiv.requests;
  expect(await readAfter(48)).toBe('pdf');
  expect(arxiv.requests).toHaveLength(length);
});

it.each<[why: string, from: 'pdf' | 'ar5iv', fault: Fault]>([
  ['cannot be fetched', 'pdf', { kind: 'status', status: 500 }],
  ['redirects to another host', 'pdf', { kind: 'redirect', location: 'http://127.0.0.2:9/x' }],
  ['is another page, such as a login page', 'ar5iv', { kind: 'html' }],
])(
  'if the HTML %s, the format of the text is %s, and the HTML is requested again each day',
  async (_, from, fault) => {
    arxiv.change(ID, { ar5iv: from === 'ar5iv' ? HTML : null });
    const requests = () => arxiv.requests.filter(({ path }) => path.startsWith(`/${from}/`)).length;
    let isDown = true;
    arxiv.fault((path) => isDown && path.startsWith('/html/'), Array(50).fill(fault));
    for (const hours of [0, 25, 1, 24]) expect(await readAfter(hours)).toBe(from);
    expect(requests()).toBe(3);
    isDown = false;
    expect(await readAfter(23)).toBe(from);
    expect(await readAfter(2)).toBe('html');
  },
);

it('a text is discarded, and counts as absent, if its paper is withdrawn while the text is parsed', async () => {
  const parse: FullTextDependencies['parse'] = async (document) => {
    store(makePaper({ id: ID, ...withdrawalOf(makePaper({ id: ID }), '2026-11-21') }));
    return readHtml(String(document));
  };
  const fetched = fetchPaper({ ...dependencies, parse }, CARD, 'awaited', () => {}, signal);
  expect(await fetched).toBe('absent');
  expect(paper(ID)).toMatchObject({ withdrawn: 1, textFormat: null });
});

it('the first text of an older paper is fetched before a better text of a newer one', async () => {
  arxiv.fault((path) => path.startsWith('/html/'), Array(20).fill({ kind: 'html' }));
  expect(await readAfter(0)).toBe('pdf');
  const older = makePaper({ id: '2501.00001', published: '2025-01-01', updated: '2025-01-01' });
  store(older);
  const at = new Date(clock.getTime() + 25 * 3_600_000);
  expect(listWithoutText(db, { parser: PARSER_VERSION, at, limit: 9 })).toEqual([
    cardIdOf(sourceIdOf(older.id)),
    CARD,
  ]);
});

it('a paper is added by its arXiv id, in one request for all callers', async () => {
  expect(await Promise.all([add(NEW.id), add(NEW.id)])).toEqual(['settled', 'settled']);
  expect(paper(NEW.id)).toMatchObject({ title: NEW.title, origin: 'arxiv' });
  expect(arxiv.requests).toHaveLength(1);
});

it('a paper is not added if arXiv does not know it or cannot be reached', async () => {
  expect(await add('2609.09999')).toBe('settled');
  expect(paper('2609.09999')).toBeUndefined();
  isUnreachable = true;
  expect(await add(NEW.id)).toBe('unreachable');
});

it('a read of a withdrawn paper that was not stored says when it was withdrawn', async () => {
  await add(WITHDRAWN.id);
  const error = await failureOf(db, paperRead, { paperCardId: WITHDRAWN.id });
  expect(error).toMatchObject({ code: 'not_found' });
  expect(error.message).toContain('The paper was withdrawn on 2026-11-20: ');
});

it('the text of an added paper is requested in the background, without reports to a call that does not wait', async () => {
  await add(NEW.id);
  const reports: string[] = [];
  const report = (message: string) => reports.push(message);
  const cardId = cardIdOf(sourceIdOf(NEW.id));
  expect(await refresher.freshen(cardId, false, report, signal)).toBe('pending');
  const before = reports.length;
  await expect.poll(() => arxiv.requests.length).toBeGreaterThan(2);
  expect(reports).toHaveLength(before);
});
