import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fillMacro } from '../../../../scripts/starter/macro-fill.ts';
import {
  macroIndicatorHistory,
  macroIndicatorSearch,
} from '../../../../src/areas/macro/operations.ts';
import { starterMacro, starterStore } from '../../../starter.ts';
import { copyInMemory } from '../../../vectors.ts';
import { errorOf, successOf } from '../calls.ts';
import { call, copyShelf, makeShelf } from './shelf.ts';

const starter = await starterMacro();
const db = copyInMemory(readFileSync(await starterStore()));
afterAll(() => db.close());

const items = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  meta: z.looseObject({}),
});

async function search(input: object) {
  const result = await call(db, macroIndicatorSearch, input);
  const { data, meta } = items.parse(result.envelope);
  return { rows: data, aliases: data.map((row) => row.indicator), meta };
}

async function history(input: object, { shelf = db, now = new Date('2026-11-21T12:00:00Z') } = {}) {
  const { data, meta } = successOf(await call(shelf, macroIndicatorHistory, input, now));
  return { data: macroIndicatorHistory.output.parse(data), meta };
}

async function failure(input: object) {
  const result = await call(db, macroIndicatorHistory, input);
  return { status: result.status, ...errorOf(result) };
}

const SHARED_TITLE = 'Federal Funds Effective Rate';
const ANNUAL = 'A191RL1A225NBEA';
const LIKELY = /Did you mean "UNRATE"\? Find one with macro_indicator_search/;

describe('a search', () => {
  it('without a query lists the first 20 series of the catalogue in order, and says that there are more', async () => {
    const all = starter.catalogue.map((row) => row.indicator);
    expect((await search({ limit: 100 })).aliases).toEqual(all);
    const { aliases, meta } = await search({});
    expect(aliases).toEqual(all.slice(0, 20));
    expect(meta.notice).toContain('20 of 56 matching indicators');
  });

  it('returns the first and last period, the attribution and the age of the stored figures', async () => {
    const { rows, meta } = await search({ q: 'us.nonfarm_payrolls' });
    expect(rows[0]).toMatchObject({
      series_id: 'PAYEMS',
      observation_start: '1939-01-01',
      observation_end: '2026-07-01',
      attribution: 'Source: U.S. Bureau of Labor Statistics.',
    });
    expect(rows[0]).not.toHaveProperty('has_figures');
    expect(meta).toMatchObject({ creditsUsed: 0, asOf: '2026-08-21T00:00:00.000Z' });
  });

  it('marks a series without figures, and dates its reply like one without a match', async () => {
    const { rows, meta } = await search({ q: 'VIXCLS' });
    expect(rows).toMatchObject([{ series_id: 'VIXCLS', has_figures: false }]);
    for (const name of ['observation_start', 'observation_end', 'last_updated']) {
      expect(rows[0]).not.toHaveProperty(name);
    }
    const none = await search({ q: 'zebra' });
    expect(none.aliases).toEqual([]);
    expect(none.meta.notice).toMatch(
      /^None of the 56 U\.S\. indicators matches\. .* Inflation, Rates, /,
    );
    expect(meta.asOf).toBe(none.meta.asOf);
  });

  it('filters by category and frequency, ignoring case, together with the query', async () => {
    expect((await search({ category: 'housing', frequency: 'WEEKLY' })).aliases).toEqual([
      'us.mortgage.30y',
    ]);
    const elsewhere = await search({ q: 'sofr', category: 'Labor' });
    expect(elsewhere.aliases).toEqual([]);
    expect(elsewhere.meta.notice).toBe(
      'No matching indicator passes the filters; without them: us.rates.sofr.',
    );
    const { rows } = await search({ category: 'inflation expectations' });
    expect(rows.map((row) => row.category)).toEqual(Array(3).fill('Inflation Expectations'));
  });

  it('says if no indicator matches all words, and returns those that match most', async () => {
    const { aliases, meta } = await search({ q: 'payrolls forecast' });
    expect(aliases).toEqual(['us.nonfarm_payrolls']);
    expect(meta.notice).toMatch(/^No U\.S\. indicator matches every word of the query; /);
    const whole = await search({ q: 'nonfarm payrolls' });
    expect(whole.meta.notice).not.toContain('every word of the query');
  });
});

describe('a history', () => {
  it('serves the latest revision with its publication day, and the next release day', async () => {
    const { data } = await history({ indicator: 'us.nonfarm_payrolls', limit: 12 });
    expect(data.next_release).toEqual({ date: '2026-12-04', exact: true });
    expect(data.observations.find(({ date }) => date === '2026-03-01')).toEqual({
      date: '2026-03-01',
      value: 158650,
      realtime_start: '2026-06-05',
      realtime_end: '2026-06-05',
      exact: true,
      revised: true,
      first_value: 158637,
    });
  });

  it("includes a month's first print, with its units if they differ", async () => {
    const month = { start_date: '2008-12-01', end_date: '2008-12-01' };
    const { data } = await history({ series_id: 'INDPRO', ...month });
    expect(data.observations[0]).toMatchObject({
      first_value: 103.6,
      first_units: 'Index 2002=100',
    });
  });

  it('does not count added decimals as a revision', async () => {
    const read = async (series_id: string, start_date: string, end_date = start_date) =>
      (await history({ series_id, start_date, end_date })).data.observations[0];
    const output = await read('GDPC1', '2025-07-01');
    expect(output).toEqual({
      date: '2025-07-01',
      value: 24026.834,
      realtime_start: '2026-01-22',
      realtime_end: '2026-01-22',
    });
    // Published as 16843.0, by the revision of that day.
    const older = { value: 16843.003, realtime_start: '2023-09-28', revised: true };
    expect(await read('GDPC1', '2008-01-01')).toMatchObject(older);
    // But 4.0 and 3.9, or 326.030 and 326.031, have the same number of decimals.
    for (const [id, date, first_value] of [
      ['UNRATE', '2024-05-01', 4],
      ['CPIAUCSL', '2025-12-01', 326.03],
    ] as const) {
      expect(await read(id, date)).toMatchObject({ revised: true, first_value });
    }
  });

  it.each(['as_of', 'vintage_date', 'realtime_start'])(
    'requested with the argument %s is refused with a pointer to the as-of resource',
    async (name) => {
      const result = await call(db, macroIndicatorHistory, {
        series_id: 'PAYEMS',
        [name]: '2009-01-09',
      });
      expect(JSON.stringify(result)).toContain('quantshelf://macro/{indicator}/as-of/{date}');
    },
  );

  it('of a series that ended long ago is marked as ended, and its notice begins with the last period', async () => {
    const shelf = makeShelf();
    const series = starter.series
      .filter(({ seriesId }) => seriesId === 'DHHNGSP')
      .map((each) => ({
        ...each,
        taken: '2026-08-20',
        vintages: each.vintages.filter(({ date }) => date <= '2018-04-02'),
      }));
    fillMacro(shelf, { ...starter, series });
    const { data, meta } = await history({ series_id: 'DHHNGSP', limit: 2 }, { shelf });
    expect(data).toMatchObject({ ended: true, stale: false });
    expect(meta.notice).toMatch(/^This series ended on 2018-04-02; its figures are not current\./);
  });

  it('does not mistake an old package for the end of a series', async () => {
    const now = new Date('2029-01-15');
    for (const series_id of ['PAYEMS', 'GDPC1', 'DGS10', 'HOUST', 'DHHNGSP']) {
      const { data, meta } = await history({ series_id, limit: 2 }, { now });
      expect(data).not.toHaveProperty('ended');
      expect(meta.notice).toMatch(/^Bundled figures .*; the newest figure is for 202[56]-/);
    }
  });

  it('returns the last 60 observations by default, oldest first, and charges one credit', async () => {
    const { data, meta } = await history({ series_id: 'unrate' });
    expect(data.indicator).toBe('us.unemployment_rate');
    expect(data.observations).toHaveLength(60);
    expect(data.observations.at(-1)).toMatchObject({ date: '2026-07-01', value: 4.1 });
    // Offline, four months on: nothing newer could be fetched.
    expect(data.stale).toBe(true);
    expect(meta).toMatchObject({ creditsUsed: 1, asOf: '2026-08-21T00:00:00.000Z' });
  });

  it('is not stale while nothing newer is due, however old its figures are', async () => {
    const dueAt = db.prepare("UPDATE macro_series SET next_due = ? WHERE series_id = 'UNRATE'");
    dueAt.run('2026-11-21T13:00:00.000Z');
    expect((await history({ series_id: 'UNRATE' })).data.stale).toBe(false);
    dueAt.run('2026-11-21T11:00:00.000Z');
    expect((await history({ series_id: 'UNRATE' })).data.stale).toBe(true);
    dueAt.run(null);
  });

  it('says that QUANTSHELF_OFFLINE is set, even after a failed refresh', async () => {
    const shelf = copyShelf(db);
    shelf.exec(`
      UPDATE macro_series SET stale = 1, fault = 'The BLS could not be reached.'
      WHERE series_id = 'UNRATE'`);
    const { meta } = await history({ series_id: 'UNRATE' }, { shelf });
    expect(meta.notice).toMatch(/The BLS could not be reached\W+QUANTSHELF_OFFLINE is set/);
  });

  it('with dates includes both ends, and ignores the limit', async () => {
    const range = { start_date: '2026-05-04', end_date: '2026-05-08', limit: 1 };
    const { data } = await history({ indicator: 'US.Yield.10Y', ...range });
    expect(data.observations.map(({ date }) => date.slice(8))).toEqual([
      ...['04', '05', '06', '07', '08'],
    ]);
  });

  it('says where bundled figures end and which dates are estimates', async () => {
    const exact = await history({ series_id: 'PAYEMS', limit: 3 });
    expect(exact.meta.notice).toContain('2026-07-01');
    expect(exact.meta.notice).not.toContain('estimate');
    const estimated = await history({ series_id: 'GDPC1', limit: 2 });
    expect(estimated.meta.notice).toContain('publication days without `exact` are estimates');
    expect(estimated.data.observations.at(-1)).toMatchObject({ realtime_start: '2026-05-28' });
    expect(estimated.meta.asOf).toBe('2026-05-28T00:00:00.000Z');
  });

  it('of a window without figures states the stored period', async () => {
    const range = { start_date: '1900-01-01', end_date: '1900-12-31' };
    const { data, meta } = await history({ series_id: 'PAYEMS', ...range });
    expect(data.observations).toEqual([]);
    expect(meta.notice).toContain('1939-01-01');
    expect(meta.notice).toContain('dated by its first day');
    const daily = await history({ series_id: 'DGS10', ...range });
    expect(daily.meta.notice).not.toContain('dated by');
  });

  it.each([
    { indicator: 'UNRATE' },
    { indicator: 'US.Unemployment_Rate' },
    { series_id: 'us.unemployment_rate' },
    { indicator: 'UNRATE', series_id: 'us.unemployment_rate' },
  ])('accepts %j for the unemployment rate', async (name) => {
    const { data } = await history({ ...name, limit: 1 });
    expect(data).toMatchObject({ indicator: 'us.unemployment_rate', series_id: 'UNRATE' });
  });

  const dates = (start_date?: string, end_date?: string) => {
    return { series_id: 'DGS10', start_date, end_date };
  };

  it.each([
    ['no series', 400, 'indicator', {}, /macro_indicator_search/],
    ['two series', 400, 'series_id', { indicator: 'UNRATE', series_id: 'DGS2' }, /two different/],
    ['a window without an end', 400, 'end_date', dates('2026-01-01'), /"end_date"/],
    ['a window without a start', 400, 'start_date', dates(undefined, '2026-01-01'), /"start_date"/],
    ['a reversed window', 400, 'start_date', dates('2026-02-01', '2026-01-01'), /not be after/],
    ['an unknown id', 404, 'series_id', { indicator: 'UNRATE', series_id: 'UNRATENSA' }, LIKELY],
    ['an ambiguous title', 404, 'indicator', { indicator: SHARED_TITLE }, /"us\S+" or "us\S+"\?/],
  ])('of %s fails with status %i and names "%s"', async (_, status, param, input, text) => {
    const message = expect.stringMatching(text);
    expect(await failure(input)).toMatchObject({ status, param, message });
  });

  it.each([
    ['VIXCLS', 'copyrighted by Cboe'],
    [ANNUAL, 'not bundled'],
  ])('of %s fails with status 503, because its figures are %s', async (series_id, reason) => {
    const message = expect.stringContaining(`because they are ${reason}`);
    expect(await failure({ series_id })).toMatchObject({ status: 503, message });
  });
});
