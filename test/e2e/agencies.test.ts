import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type AgenciesStandIn,
  BLS_REFUSAL,
  bundledFigures,
  startAgencies,
} from '../stand-ins/agencies.ts';
import { startFred } from '../stand-ins/fred.ts';
import { callHere, makeShelf, runHere, statusHere } from './in-process.ts';
import { edit } from './store.ts';
import { type Env, quantshelf, storeIn } from './support.ts';

/** Figures from this day on are stored here; storing complete histories takes seconds. */
const SINCE = '2016-01-01';
const FIGURES = bundledFigures(SINCE);

let agencies: AgenciesStandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  agencies = await startAgencies(new Map(FIGURES));
  home = await makeShelf();
  edit(storeIn(home), `DELETE FROM macro_vintage WHERE date < '${SINCE}'`);
  env = { ...agencies.env, QUANTSHELF_OFFLINE: '0', QUANTSHELF_PACE_MS: '1', FRED_API_KEY: '' };
});
afterEach(() => agencies.close());

const history = (series_id: string, more: Env = {}, limit = 3) =>
  callHere('macro_indicator_history', { series_id, limit }, home, { ...env, ...more });

const today = () => new Date().toISOString().slice(0, 10);

/** The months that follow those of a series in the package. */
function following(series: string, months: number): string[] {
  const last = [...(FIGURES.get(series)?.keys() ?? [])].at(-1) ?? '';
  return Array.from({ length: months }, (_, index) => {
    const date = new Date(last);
    date.setUTCMonth(date.getUTCMonth() + index + 1);
    return date.toISOString().slice(0, 10);
  });
}

describe('without a FRED key, the BLS', () => {
  it('provides the new month to the first call after a release, with earlier months unchanged', async () => {
    const before = await history('CPIAUCSL', { QUANTSHELF_OFFLINE: '1' });
    const [august = ''] = following('CPIAUCSL', 1);
    agencies.publish('CPIAUCSL', { [august]: 333.101 });
    const { data, meta } = await history('CPIAUCSL');
    expect(data.observations.slice(0, 2)).toEqual(before.data.observations.slice(1));
    const news = data.observations.at(-1);
    expect(news).toMatchObject({ date: august, value: 333.101 });
    expect(news.realtime_start > august && news.realtime_start <= today()).toBe(true);
    expect(news).not.toHaveProperty('exact');
    expect(data.stale).toBe(false);
    expect(data.attribution).toMatch(/^Source: U\.S\. Bureau of Labor Statistics, accessed 20/);
    expect(data.attribution).not.toContain('FRED');
    expect(meta.asOf.slice(0, 10)).toBe(today());
    expect(meta.notice).not.toContain('Bundled');
  });

  it('is queried once for all eight series, and not again before a release is due', async () => {
    const [september = ''] = following('PAYEMS', 1);
    agencies.publish('PAYEMS', { [september]: 158_900 });
    await history('CPIAUCSL');
    const { data } = await history('PAYEMS');
    expect(data.observations.at(-1)).toMatchObject({ date: september, value: 158_900 });
    const [request, ...more] = agencies.queriesTo('bls');
    expect(more).toEqual([]);
    const { seriesid, startyear, endyear } = JSON.parse(request ?? '');
    expect(seriesid).toHaveLength(8);
    expect(Number(endyear) - Number(startyear)).toBe(9);
  });

  it('is not queried again, even by another process, right after it has rejected a query', async () => {
    agencies.fault('/bls/', [{ kind: 'body', body: BLS_REFUSAL }]);
    const { data, meta } = await history('PAYEMS');
    expect(data.stale).toBe(true);
    expect(meta.notice).toContain('The BLS accepts no more queries for now');
    const another = await quantshelf(
      ['call', 'macro_indicator_history', '{"series_id":"UNRATE","limit":3}'],
      home,
      env,
    );
    expect(JSON.parse(another.stdout).data.stale).toBe(true);
    expect(agencies.queriesTo('bls')).toHaveLength(1);
    const { macro } = await statusHere(home, env);
    expect(macro.lastError).toContain('accepts no more queries');
  });
});

it('without a FRED key, new yields and spreads come from the Treasury, and SOFR from the New York Fed', async () => {
  // A weekday after all figures in the package.
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

it('with a FRED key, figures are stale while FRED fails, and no agency is queried instead', async () => {
  const fred = await startFred([]);
  onTestFinished(() => fred.close());
  fred.fault('/fred/', Array(16).fill({ kind: 'status', status: 500 }));
  const { data, meta } = await history('PAYEMS', fred.env);
  expect(data.stale).toBe(true);
  expect(meta.notice).toContain('FRED answered with status 500');
  const sync = await runHere(['sync', 'macro'], home, { ...env, ...fred.env });
  expect(sync.code).toBe(1);
  expect(agencies.requests).toEqual([]);
});

it('the notice of a history says when its series begins if the bundled figures begin later', async () => {
  const dates = { series_id: 'CIVPART', start_date: '1950-01-01', end_date: '2020-12-31' };
  const { meta } = await callHere('macro_indicator_history', dates, await makeShelf());
  expect(meta.notice).toContain('begin on 1980-01-01; the series itself begins on 1948-01-01');
});

describe('without a FRED key, quantshelf sync macro', () => {
  it('refreshes 45 series on its first run, and queries no agency on its second, since nothing is due yet', async () => {
    const sync = async () => {
      const { stdout, code } = await quantshelf(['sync', 'macro', '--json'], home, env);
      return { code, ...JSON.parse(stdout).macro };
    };
    const first = await sync();
    expect(first).toMatchObject({ code: 0, failed: 0, error: null, finished: true });
    expect(first.changed + first.unchanged).toBe(45);
    expect(first.skipped).toContain('FRED_API_KEY');
    const requestsBefore = agencies.requests.length;
    const again = await runHere(['sync', 'macro'], home, env);
    expect(again.stdout).toMatch(/^macro: 45 not due yet\. /);
    expect(again.code).toBe(0);
    expect(agencies.requests).toHaveLength(requestsBefore);
  });

  it('fetches the large files, which calls never request', async () => {
    const newest = [
      ['GDPC1', '2026-04-01', 24_269.613, 'Bureau of Economic Analysis'],
      ['RSAFS', '2026-05-01', 731_415, 'Census Bureau'],
      ['WALCL', '2026-07-22', 6_600_000, 'Board of Governors'],
      ['M2SL', '2026-07-01', 22_900.1, 'Board of Governors'],
      ['USSTHPI', '2026-04-01', 720.5, 'FHFA'],
    ] as const;
    for (const [id, date, value] of newest) agencies.publish(id, { [date]: value });
    agencies.publish('PCEPI', { '2026-06-01': 131.2, '2026-07-01': 131.659 });
    await runHere(['sync', 'macro'], home, env);
    const offline = { QUANTSHELF_OFFLINE: '1' };
    for (const [id, date, value, source] of newest) {
      const { data } = await history(id, offline);
      expect(data.observations.at(-1), id).toMatchObject({ date, value });
      expect(data.attribution, id).toContain(source);
    }
    // The file is dated by the release of the quarter's second estimate and July's prices.
    const dated = { realtime_start: '2026-08-26', exact: true };
    expect((await history('PCEPI', offline)).data.observations.at(-1)).toMatchObject(dated);
    const gdp = (await history('GDPC1', offline)).data.observations.at(-1);
    expect(gdp.realtime_start).toBe('2026-08-26');
    expect(gdp).not.toHaveProperty('exact');
    expect([agencies.queriesTo('fedboard').length, agencies.queriesTo('bea').length]).toEqual([
      6, 3,
    ]);
    await history('GDPC1');
    expect(agencies.queriesTo('bea')).toHaveLength(3);
  });

  it('stores the figures of the other agencies when one agency fails', async () => {
    agencies.fault('/bls/', [{ kind: 'body', body: BLS_REFUSAL }]);
    agencies.publish('WALCL', { '2026-07-22': 6_600_000 });
    const { code, stdout } = await runHere(['sync', 'macro'], home, env);
    expect(code).toBe(1);
    expect(stdout).toContain('The BLS accepts no more queries for now');
    const { data } = await history('WALCL', { QUANTSHELF_OFFLINE: '1' });
    expect(data.observations.at(-1)).toMatchObject({ date: '2026-07-22', value: 6_600_000 });
  });
});
