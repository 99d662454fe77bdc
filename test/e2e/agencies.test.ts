import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { INDICATORS } from '../../src/areas/macro/facts/indicators.ts';
import { shiftDay } from '../../src/core/time.ts';
import {
  type AgenciesStandIn,
  BLS_REFUSAL,
  bundledFigures,
  startAgencies,
} from '../stand-ins/agencies.ts';
import { makeSeries, startFred } from '../stand-ins/fred.ts';
import { FredHistory } from '../stand-ins/fred-history.ts';
import { makeZip } from '../stand-ins/zip.ts';
import { makeShelf, runHere } from './in-process.ts';
import { edit } from './store.ts';
import { type Env, quantshelf, storeIn } from './support.ts';

const FIGURES = bundledFigures();

let agencies: AgenciesStandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  agencies = await startAgencies(new Map(FIGURES));
  home = await makeShelf();
  env = { ...agencies.env, QUANTSHELF_OFFLINE: '0', QUANTSHELF_PACE_MS: '1', FRED_API_KEY: '' };
});
afterEach(() => agencies.close());

const answerSchema = z.looseObject({
  data: z.looseObject({
    observations: z.array(
      z.looseObject({
        date: z.string(),
        value: z.number().nullable(),
        realtime_start: z.string(),
      }),
    ),
    attribution: z.string(),
    stale: z.boolean(),
  }),
  meta: z.looseObject({ asOf: z.string(), notice: z.string().default('') }),
});

async function run(series: string, more: Env = {}, limit = 3, start = runHere) {
  const { stdout, code } = await start(
    ['call', 'macro_indicator_history', JSON.stringify({ series_id: series, limit })],
    home,
    { ...env, ...more },
  );
  return { code, answer: JSON.parse(stdout) };
}

async function history(...call: Parameters<typeof run>) {
  return answerSchema.parse((await run(...call)).answer);
}

async function status() {
  const { stdout } = await runHere(['status', '--json'], home, env);
  return z
    .looseObject({
      macro: z.looseObject({
        lastError: z.string().nullable(),
        series: z.array(
          z.object({
            series_id: z.string(),
            source: z.string().nullable(),
            observation_end: z.string().nullable(),
            checked_at: z.string().nullable(),
          }),
        ),
      }),
    })
    .parse(JSON.parse(stdout)).macro;
}

const today = () => new Date().toISOString().slice(0, 10);

/** The next dates of a series after those in the package. */
function following(series: string, months: number): string[] {
  const last = [...(FIGURES.get(series)?.keys() ?? [])].at(-1) ?? '';
  return Array.from({ length: months }, (_, index) => {
    const date = new Date(last);
    date.setUTCMonth(date.getUTCMonth() + index + 1);
    return date.toISOString().slice(0, 10);
  });
}

describe('BLS without a key', () => {
  it('the call after a release adds the new month and leaves earlier months unchanged', async () => {
    const before = await history('CPIAUCSL', { QUANTSHELF_OFFLINE: '1' });
    const [august = ''] = following('CPIAUCSL', 1);
    agencies.publish('CPIAUCSL', { [august]: 333.101 });
    const { data, meta } = await history('CPIAUCSL');
    expect(data.observations.slice(0, 2)).toEqual(before.data.observations.slice(1));
    const news = data.observations.at(-1);
    expect(news).toMatchObject({ date: august, value: 333.101 });
    expect(news?.realtime_start && news.realtime_start > august).toBe(true);
    expect(news?.realtime_start && news.realtime_start <= today()).toBe(true);
    expect(news).not.toHaveProperty('exact');
    expect(data.stale).toBe(false);
    expect(data.attribution).toMatch(/^Source: U\.S\. Bureau of Labor Statistics, accessed 20/);
    expect(data.attribution).not.toContain('FRED');
    expect(meta.asOf.slice(0, 10)).toBe(today());
    expect(meta.notice).not.toContain('Bundled');
  });

  it('one query serves all eight series, and no call queries again before something is due', async () => {
    const [september = ''] = following('PAYEMS', 1);
    agencies.publish('PAYEMS', { [september]: 158_900 });
    await history('CPIAUCSL');
    const { data } = await history('PAYEMS');
    expect(data.observations.at(-1)).toMatchObject({ date: september, value: 158_900 });
    const [request, ...more] = agencies.asked('bls');
    expect(more).toEqual([]);
    const { seriesid, startyear, endyear } = JSON.parse(request ?? '');
    expect(seriesid).toHaveLength(8);
    expect(Number(endyear) - Number(startyear)).toBe(9);
  });

  it('no process repeats a query that the BLS rejected, for hours', async () => {
    agencies.fault('/bls/', [{ kind: 'body', body: BLS_REFUSAL }]);
    const { data, meta } = await history('PAYEMS');
    expect(data.stale).toBe(true);
    expect(meta.notice).toContain('The BLS accepts no more queries for now');
    expect((await history('UNRATE', {}, 3, quantshelf)).data.stale).toBe(true);
    expect(agencies.asked('bls')).toHaveLength(1);
    const { lastError } = await status();
    expect(lastError).toContain('accepts no more queries');
  });
});

it('without a key the Treasury and the New York Fed continue their series', async () => {
  // A weekday later than all figures in the package.
  const day = '2026-09-25';
  const values = { DGS3MO: 4.24, DGS2: 4.87, DGS5: 5.03, DGS10: 5.18, DGS30: 5.47 };
  for (const [id, value] of Object.entries({ ...values, DFII5: 2.5, DFII10: 2.75, SOFR: 3.9 })) {
    agencies.publish(id, { [day]: value });
  }
  for (const [series, value, source] of [
    ['DGS10', 5.18, 'U.S. Department of the Treasury'],
    ['T10Y2Y', 0.31, 'U.S. Department of the Treasury'],
    ['T10YIE', 2.43, 'U.S. Department of the Treasury'],
    ['SOFR', 3.9, 'Terms of Use posted at newyorkfed.org'],
  ] as const) {
    const { data } = await history(series);
    expect(data.stale, series).toBe(false);
    expect(data.observations.at(-1), series).toMatchObject({ date: day, value });
    expect(data.attribution, series).toContain(source);
  }
});

describe('with and without FRED', () => {
  it('once the key is gone, the agency takes over its series, and FRED’s vintages stay', async () => {
    const both = INDICATORS.filter(({ series_id }) => ['UNRATE', 'ICSA'].includes(series_id));
    const fred = await startFred(
      both.map(({ series_id: id, units }) => {
        const stored = Object.fromEntries(FIGURES.get(id) ?? [['2026-07-01', 1]]);
        return makeSeries({ id, units, history: new FredHistory().publish('2026-09-01', stored) });
      }),
    );
    const sources = async () => {
      const { series } = await status();
      return ['UNRATE', 'ICSA'].map((id) => series.find((each) => each.series_id === id)?.source);
    };
    for (const { series_id } of both) await history(series_id, fred.env);
    await fred.close();
    expect(await sources()).toEqual(['fred', 'fred']);
    const [next = ''] = following('UNRATE', 1);
    agencies.publish('UNRATE', { [next]: 4.4 });
    edit(storeIn(home), 'UPDATE macro_series SET next_due = NULL, retry_at = NULL');
    expect(await quantshelf(['sync', 'macro'], home, env)).toMatchObject({ code: 0 });
    expect(await sources()).toEqual(['bls', 'fred']);
    const { data } = await history('UNRATE', { QUANTSHELF_OFFLINE: '1' }, 2);
    expect(data.observations.map(({ date }) => date)).toEqual(['2026-07-01', next]);
    expect(data.observations[0]?.realtime_start).toBe('2026-08-07');
    expect(data.attribution).toMatch(/^Source: U\.S\. Bureau of Labor Statistics, accessed/);
  });

  it('with a key, figures are stale while FRED fails, and no agency replaces it', async () => {
    const fred = await startFred([]);
    const [next = ''] = following('PAYEMS', 1);
    agencies.publish('PAYEMS', { [next]: 158_900 });
    fred.fault('/fred/', Array(16).fill({ kind: 'status', status: 500 }));
    const { data, meta } = await history('PAYEMS', fred.env);
    expect(data.stale).toBe(true);
    expect(meta.notice).toContain('FRED answered with status 500');
    expect(await quantshelf(['sync', 'macro'], home, { ...env, ...fred.env })).toMatchObject({
      code: 1,
    });
    await fred.close();
    expect(agencies.requests).toEqual([]);
  });
});

describe('quantshelf sync macro without a key', () => {
  it('queries every agency once, and nothing again before it is due', async () => {
    const sync = async () => {
      const { stdout, code } = await quantshelf(['sync', 'macro', '--json'], home, env);
      return { code, ...JSON.parse(stdout).macro };
    };
    const first = await sync();
    expect(first).toMatchObject({ code: 0, failed: 0, error: null, finished: true });
    expect(first.changed + first.unchanged).toBe(45);
    expect(first.skipped).toContain('FRED_API_KEY');
    const asked = agencies.requests.length;
    const again = await quantshelf(['sync', 'macro'], home, env);
    expect(again.stdout).toMatch(/^macro: 45 not due yet\. /);
    expect(again.code).toBe(0);
    expect(agencies.requests).toHaveLength(asked);
  });

  it('fetches larger files, which calls do not request', async () => {
    const newest = [
      ['GDPC1', '2026-04-01', 24_269.613, 'Bureau of Economic Analysis'],
      ['RSAFS', '2026-05-01', 731_415, 'Census Bureau'],
      ['WALCL', '2026-07-22', 6_600_000, 'Board of Governors'],
      ['M2SL', '2026-07-01', 22_900.1, 'Board of Governors'],
      ['USSTHPI', '2026-04-01', 720.5, 'FHFA'],
    ] as const;
    for (const [id, date, value] of newest) agencies.publish(id, { [date]: value });
    agencies.publish('PCEPI', { '2026-06-01': 131.2, '2026-07-01': 131.659 });
    await quantshelf(['sync', 'macro'], home, env);
    const offline = { QUANTSHELF_OFFLINE: '1' };
    for (const [id, date, value, source] of newest) {
      const { data } = await history(id, offline);
      expect(data.observations.at(-1), id).toMatchObject({ date, value });
      expect(data.attribution, id).toContain(source);
    }
    // The file came with the second estimate of the quarter, and with the prices of July.
    const dated = { realtime_start: '2026-08-26', exact: true };
    expect((await history('PCEPI', offline)).data.observations.at(-1)).toMatchObject(dated);
    const gdp = (await history('GDPC1', offline)).data.observations.at(-1);
    expect(gdp?.realtime_start).toBe('2026-08-26');
    expect(gdp).not.toHaveProperty('exact');
    expect([agencies.asked('fedboard').length, agencies.asked('bea').length]).toEqual([6, 3]);
    await history('GDPC1');
    expect(agencies.asked('bea')).toHaveLength(3);
  });

  it('replaces a whole series when its base changes, and never mixes two bases on one day', async () => {
    const of2022 = [...(FIGURES.get('PCEPI') ?? [])].filter(([date]) => date.startsWith('2022'));
    const level = of2022.reduce((sum, [, value]) => sum + (value ?? 0), 0) / 12 / 100;
    const moved = [
      ['PCEPI', 1 / level, 'Index 2022=100', '2026-08-25'],
      ['GDPC1', level, 'Billions of Chained 2022 Dollars', '2026-08-25'],
      ['PCEC96', level, 'Billions of Chained 2022 Dollars', '2026-08-25'],
      ['USSTHPI', 100 / 719.87, 'Index 2026:Q2=100', shiftDay(today(), -4)],
      ['RSAFS', 1 / 1_000, 'Billions of Dollars', shiftDay(today(), -4)],
    ] as const;
    for (const [id, factor] of moved) {
      const figures = [...(FIGURES.get(id) ?? [])].map(([date, value]) => [
        date,
        value && Number((value * factor).toFixed(3)),
      ]);
      agencies.publish(id, Object.fromEntries(figures));
    }
    const before = new Map<string, unknown>(INDICATORS.map((row) => [row.series_id, row.units]));
    await quantshelf(['sync', 'macro'], home, env);
    for (const [id, , units, lastDay] of moved) {
      expect((await history(id, { QUANTSHELF_OFFLINE: '1' })).data, id).toMatchObject({
        ...{ units, stale: false },
      });
      const basesOn = async (day: string) => {
        const { stdout } = await quantshelf(['export', 'macro', id, '--as-of', day], home, env);
        const rows = stdout.trim().split('\n').slice(1);
        return [...new Set(rows.map((row) => row.split(',').at(-1)))];
      };
      // The BEA's files are dated 26 August; the others have no date.
      expect(await basesOn(lastDay), id).toEqual([before.get(id)]);
      const day = lastDay < '2026-09-01' ? '2026-08-26' : shiftDay(today(), 0);
      expect(await basesOn(day), id).toEqual(['']);
    }
  });

  it('states where a series begins if it is longer than its bundled figures', async () => {
    const dates = { series_id: 'CIVPART', start_date: '1950-01-01', end_date: '2020-12-31' };
    const call = ['call', 'macro_indicator_history', JSON.stringify(dates)];
    const { stdout } = await runHere(call, home, { QUANTSHELF_OFFLINE: '1' });
    expect(answerSchema.parse(JSON.parse(stdout)).meta.notice).toContain(
      'begin on 1980-01-01; the series itself begins on 1948-01-01',
    );
  });

  it('keeps the figures of other agencies when one fails', async () => {
    // The directory lists the entry, but its bytes cannot be inflated.
    const body = makeZip({ 'H10_data.xml': 'figures '.repeat(1000) });
    body.fill(0xff, 30 + 'H10_data.xml'.length, 60);
    agencies.fault('/FRB_H10_', [{ kind: 'body', body }]);
    agencies.fault('/bls/', [{ kind: 'body', body: BLS_REFUSAL }]);
    const { stdout, code } = await quantshelf(['sync', 'macro'], home, env);
    expect(code).toBe(1);
    expect(stdout).toContain('The BLS accepts no more queries for now');
    expect((await history('DEXJPUS')).meta.notice).toMatch(/they end at 2025-09-26\./);
    const { series } = await status();
    const brought = (agency: string) => series.filter(({ source }) => source === agency).length;
    // All files of the Board except the damaged exchange-rate archive, and the requests after it.
    const counts = { treasury: 11, new_york_fed: 4, fed_board: 6, bea: 8, census: 4, fhfa: 1 };
    for (const [agency, count] of Object.entries(counts)) {
      expect(brought(agency), agency).toBe(count);
    }
  });
});
