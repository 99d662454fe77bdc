import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDICATORS } from '../../src/areas/macro/facts/indicators.ts';
import { Database } from '../../src/store/sqlite.ts';
import { type AgenciesStandIn, bundledFigures, startAgencies } from '../stand-ins/agencies.ts';
import { type StandIn, startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeSeries, startFred } from '../stand-ins/fred.ts';
import { FredHistory } from '../stand-ins/fred-history.ts';
import { makeShelf, runHere } from './in-process.ts';
import { inspect } from './store.ts';
import { type Env, online, storeIn } from './support.ts';

const FIGURES = bundledFigures();

let home: string;

beforeEach(async () => {
  home = await makeShelf();
});

describe('sync macro, without a key,', () => {
  let agencies: AgenciesStandIn;
  let env: Env;

  beforeEach(async () => {
    agencies = await startAgencies(new Map(FIGURES));
    env = { ...online([agencies], 1), FRED_API_KEY: '' };
  });
  afterEach(() => agencies.close());

  const sync = () => runHere(['sync', 'macro', '--force'], home, env);

  /** Puts a figure before all others of a series. */
  function prepend(seriesId: string, date: string, value: number): void {
    agencies.figures.set(seriesId, new Map([[date, value], ...(FIGURES.get(seriesId) ?? [])]));
  }

  it.each([
    ['the BEA', 'PSAVERT'],
    ['the FHFA', 'USSTHPI'],
  ])('drops a row for the year 1 from %s, and fills no months before the series', async (_, id) => {
    const [first, last] = [firstDate(home, id), [...(FIGURES.get(id) ?? [])].at(-1)?.[1] ?? 0];
    prepend(id, '0001-01-01', last);
    const { code, stdout } = await sync();
    expect(code, stdout).toBe(0);
    expect(firstDate(home, id)).toBe(first);
    expect(countNulls(home, id)).toBeLessThan(10);
  });

  it('holds back a 10-year yield of 9,999,999 %, says so, and accepts it if a second reply repeats it', async () => {
    const yields = { DGS10: 9_999_999, DGS2: 3.5, DGS5: 3.6, DGS30: 4.6, DGS3MO: 3.7, DFII10: 1.9 };
    for (const [id, value] of Object.entries(yields)) agencies.publish(id, { '2026-11-20': value });
    agencies.publish('DFII5', { '2026-11-20': 1.5 });
    expect((await sync()).code).toBe(1);
    expect(readValue(home, 'DGS10', '2026-11-20')).toBeUndefined();
    expect(readValue(home, 'DGS2', '2026-11-20')).toBe(3.5);
    const { stdout } = await runHere(
      ['call', 'macro_indicator_history', JSON.stringify({ series_id: 'DGS10', limit: 1 })],
      home,
      { ...env, QUANTSHELF_OFFLINE: '1' },
    );
    const { data, meta } = JSON.parse(stdout);
    expect(data.stale).toBe(true);
    expect(data.observations[0].value).toBeLessThan(20);
    expect(meta.notice).toContain('held back until a later reply confirms it');
    // Another value confirms nothing.
    agencies.publish('DGS10', { '2026-11-20': 8_888_888 });
    await sync();
    expect(readValue(home, 'DGS10', '2026-11-20')).toBeUndefined();
    expect((await sync()).code).toBe(0);
    expect(readValue(home, 'DGS10', '2026-11-20')).toBe(8_888_888);
  });
});

describe('sync macro, with a key,', () => {
  const two = { '2026-08-01': 1, '2026-09-01': 2 };
  const all = (id: string, change: (value: number | null) => number | null) =>
    Object.fromEntries([...(FIGURES.get(id) ?? [])].map(([date, value]) => [date, change(value)]));

  it.each<[string, (id: string) => Record<string, number | null>]>([
    ['two observations', () => two],
    ['missing values alone', (id) => all(id, () => null)],
    ['values a thousand times those stored', (id) => all(id, (value) => value && value * 1_000)],
  ])('refuses a first fill of %s that would replace 60 years', async (_, changesOf) => {
    const ids = ['UNRATE', 'CPIAUCSL', 'HOUST'];
    const fred = await startFred(
      INDICATORS.filter(({ series_id }) => ids.includes(series_id)).map(
        ({ series_id: id, units }) =>
          makeSeries({
            id,
            units,
            history: new FredHistory().publish('2026-10-02', changesOf(id)),
          }),
      ),
    );
    const before = ids.map((id) => countRows(home, id));
    // Of the other series FRED knows nothing.
    due(home, ids);
    const { code, stdout, stderr } = await runHere(['sync', 'macro'], home, {
      ...online([fred], 1),
      ...fred.env,
    });
    await fred.close();
    expect(code, stdout).toBe(1);
    expect(stderr).not.toContain('SQLITE');
    expect(ids.map((id) => countRows(home, id))).toEqual(before);
  });
});

describe('sync papers', () => {
  let arxiv: StandIn;
  let env: Env;
  let clock: Date;

  beforeEach(async () => {
    clock = new Date();
    arxiv = await startArxiv({ records: makePapers(3), now: () => clock });
    env = online([arxiv], 1);
  });
  afterEach(() => arxiv.close());

  const sync = () => runHere(['sync', 'papers'], home, env);
  const nextFrom = () =>
    inspect(home, (db) => db.prepare('SELECT next_from FROM harvest').pluck().get());

  const listed = (answer: string, page: string) => {
    const body = `<OAI-PMH><responseDate>${clock.toISOString()}</responseDate><ListRecords>${page}</ListRecords></OAI-PMH>`;
    arxiv.fault(answer, [{ kind: 'body', body, type: 'text/xml' }]);
  };
  const onShelf = () => query<string>(home, 'SELECT source_id FROM paper WHERE withdrawn = 0');
  const headerOf = (id: string, day: string) =>
    `<identifier>oai:arXiv.org:${id.replace('arxiv:', '')}</identifier><datestamp>${day}</datestamp>`;

  it('refuses a list in which every paper is deleted, and keeps the shelf', async () => {
    const before = onShelf();
    const day = clock.toISOString().slice(0, 10);
    const headers = before.map(
      (id) => `<record><header status="deleted">${headerOf(id, day)}</header></record>`,
    );
    listed('/oai', headers.join(''));
    const { code, stdout } = await sync();
    expect(code).toBe(1);
    expect(stdout).toContain('arXiv reports an implausible number of papers as withdrawn');
    expect(onShelf()).toEqual(before);
  });

  it('ignores the years 1 and 9999 in a record', async () => {
    listed(
      '/oai',
      `<record><header>${headerOf('2601.00001', '9999-12-31')}</header><metadata><arXiv><created>0001-01-01</created><updated>9999-01-01</updated><title>A title</title><abstract>An abstract.</abstract></arXiv></metadata></record>`,
    );
    await sync();
    const days = query<string>(
      home,
      "SELECT json_array(published, updated, datestamp) FROM paper WHERE source_id = 'arxiv:2601.00001'",
    );
    expect(days).toEqual([JSON.stringify(['2026-01', null, clock.toISOString().slice(0, 10)])]);
  });

  it('harvests again in a store whose next harvest was to begin in years', async () => {
    await sync();
    const today = new Date().toISOString().slice(0, 10);
    const db = new Database(storeIn(home));
    db.exec("UPDATE harvest SET next_from = '2029-01-01'");
    db.close();
    const [paper] = makePapers(4).slice(-1);
    if (paper === undefined) throw new Error('no paper');
    arxiv.records.push({ ...paper, datestamp: today });
    await sync();
    expect(nextFrom()).toBe(today);
    const ids = inspect(home, (db) => db.prepare('SELECT source_id FROM paper').pluck().all());
    expect(ids).toContain(`arxiv:${paper.id}`);
  });

  it('asks only once, across processes, where arXiv answers "Rate exceeded." with status 200', async () => {
    const refusal = { kind: 'body', body: 'Rate exceeded.', type: 'text/plain' } as const;
    arxiv.fault('/oai', Array(30).fill(refusal));
    const oai = () => arxiv.requests.filter(({ path }) => path.startsWith('/oai')).length;
    const first = await runHere(['sync', 'papers'], home, env);
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('arXiv asks to wait') });
    expect(oai()).toBe(1);
    const second = await runHere(['sync', 'papers'], home, env);
    expect(second.stdout).toMatch(/asked us to wait another 1\d min/);
    expect(oai()).toBe(1);
  });
});

function query<T>(at: string, sql: string, ...values: string[]): T[] {
  return inspect(at, (db) =>
    db
      .prepare<string[], T>(sql)
      .pluck()
      .all(...values),
  );
}

function readValue(at: string, id: string, date: string): number | null | undefined {
  const sql = 'SELECT value FROM macro_vintage WHERE series_id = ? AND date = ? AND rt_end IS NULL';
  return query<number | null>(at, sql, id, date)[0];
}

function firstDate(at: string, id: string): string | undefined {
  return query<string>(at, 'SELECT min(date) FROM macro_vintage WHERE series_id = ?', id)[0];
}

function countNulls(at: string, id: string): number {
  const sql = 'SELECT count(*) FROM macro_vintage WHERE series_id = ? AND value IS NULL';
  return query<number>(at, sql, id)[0] ?? 0;
}

function countRows(at: string, id = '%'): number {
  return query<number>(at, 'SELECT count(*) FROM macro_vintage WHERE series_id LIKE ?', id)[0] ?? 0;
}

/** Leaves nothing due but these series. */
function due(at: string, ids: readonly string[]): void {
  const db = new Database(storeIn(at));
  db.prepare(`
    UPDATE macro_series SET last_vintage = date('now'), next_due = datetime('now', '+1 day')
    WHERE series_id NOT IN (SELECT value FROM json_each(?))`).run(JSON.stringify(ids));
  db.close();
}
