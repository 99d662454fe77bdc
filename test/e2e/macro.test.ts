import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDICATORS } from '../../src/areas/macro/facts/indicators.ts';
import { bundledFigures } from '../stand-ins/agencies.ts';
import { makeHold } from '../stand-ins/faults.ts';
import { type FredStandIn, makeSeries, startFred, TEST_KEY } from '../stand-ins/fred.ts';
import { FredHistory } from '../stand-ins/fred-history.ts';
import { callHere, makeShelf, runHere, statusHere } from './in-process.ts';
import { edit } from './store.ts';
import { type Env, quantshelf, storeIn } from './support.ts';
import { startWire } from './wire.ts';

/** Figures from this day on are stored here; storing complete histories takes seconds. */
const SINCE = '2024-01-01';
const WITHOUT_OLDER = `DELETE FROM macro_vintage WHERE date < '${SINCE}'`;
const FIGURES = bundledFigures(SINCE);
const storedOf = (series: string) => Object.fromEntries(FIGURES.get(series) ?? [['2026-08-01', 4]]);

/** The figures in the package, as FRED would send them. */
const SERIES = INDICATORS.map(({ series_id: id, units }) => {
  const history = new FredHistory().publish('2026-09-01', storedOf(id));
  return makeSeries({ id, units, title: `Series ${id}`, history });
});

let fred: FredStandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  fred = await startFred(SERIES.map((each) => (each.id === 'PAYEMS' ? payrolls() : each)));
  home = await makeShelf();
  edit(storeIn(home), WITHOUT_OLDER);
  env = { ...fred.env, QUANTSHELF_OFFLINE: '0', QUANTSHELF_PACE_MS: '1' };
});
afterEach(() => fred.close());

/** Three more months of payrolls, the first revised twice. */
function payrolls() {
  const history = new FredHistory()
    .publish('2026-09-01', storedOf('PAYEMS'))
    .publish('2026-09-04', { '2026-08-01': 158_637 })
    .publish('2026-10-02', { '2026-08-01': 158_621, '2026-09-01': 158_700 })
    .publish('2026-11-06', { '2026-08-01': 158_650, '2026-09-01': 158_798, '2026-10-01': null });
  return makeSeries({ id: 'PAYEMS', title: 'Series PAYEMS', history });
}

async function history(series_id: string, more: Env = {}) {
  const reply = await callHere('macro_indicator_history', { series_id, limit: 3 }, home, {
    ...env,
    ...more,
  });
  expect(JSON.stringify(reply)).not.toContain(TEST_KEY);
  return reply;
}

describe('with a FRED key', () => {
  it('the first call fetches a series with its revisions, and dates each value by its own publication', async () => {
    const begun = Date.now();
    const { data, meta } = await history('PAYEMS');
    const dated = { realtime_start: '2026-11-06', realtime_end: '2026-11-06', exact: true };
    expect(data.observations).toEqual([
      { date: '2026-08-01', value: 158_650, first_value: 158_637, revised: true, ...dated },
      { date: '2026-09-01', value: 158_798, first_value: 158_700, revised: true, ...dated },
      { date: '2026-10-01', value: null, ...dated },
    ]);
    expect(data).toMatchObject({ title: 'Series PAYEMS', stale: false });
    expect(data.attribution).toMatch(/^This product uses the FRED® API .* via FRED\.$/);
    expect(meta.notice ?? '').not.toContain('Bundled');
    expect(Date.parse(meta.asOf)).toBeGreaterThanOrEqual(begun);
    expect(fred.requests).toHaveLength(3);
    expect(readFileSync(storeIn(home)).includes(TEST_KEY)).toBe(false);

    await history('PAYEMS');
    expect(fred.requests).toHaveLength(3);
  });

  it('one refresh serves three processes that call at once', async () => {
    const call = ['call', 'macro_indicator_history', '{"series_id":"UNRATE"}'];
    const calls = Array.from({ length: 3 }, () => quantshelf(call, home, env));
    for (const { stdout } of await Promise.all(calls)) {
      expect(JSON.parse(stdout).data.title).toBe('Series UNRATE');
    }
    expect(fred.queriesOf('series/observations')).toHaveLength(1);
  });
});

describe('when FRED fails or is slow', () => {
  it('stored figures are served as stale, with the cause, and the next call does not retry', async () => {
    fred.fault('/fred/', Array(8).fill({ kind: 'status', status: 500 }));
    const { data, meta } = await history('PAYEMS');
    expect(data.stale).toBe(true);
    expect(data.observations.length).toBe(3);
    expect(data.attribution).not.toContain('API');
    expect(meta.notice).toMatch(/due refresh failed: FRED answered with status 500/);
    expect(meta.notice.split('. ').length).toBeLessThanOrEqual(2);
    const requestsBefore = fred.requests.length;
    expect((await history('PAYEMS')).data.stale).toBe(true);
    expect(fred.requests).toHaveLength(requestsBefore);
    expect(await statusHere(home, env)).toMatchObject({
      macro: { stale: expect.any(Number), lastError: 'PAYEMS: FRED answered with status 500.' },
    });
  });

  it('a call gets a reply in time, and the refresh continues in the background', async () => {
    const { fault, release } = makeHold();
    fred.fault('/fred/', [fault]);
    const wire = await startWire(home, env);
    const args = { series_id: 'PAYEMS', limit: 1 };
    const ask = () => wire.ask('macro_indicator_history', args);
    const notice = expect.stringContaining('in progress');
    expect(await ask()).toMatchObject({ data: { stale: true }, meta: { notice } });
    release();
    expect(await ask()).toMatchObject({ data: { stale: false, title: 'Series PAYEMS' } });
  });

  it('a key that FRED refuses is named as the cause', async () => {
    fred.settings.apiKey = 'f'.repeat(32);
    const { meta } = await history('PAYEMS');
    expect(meta.notice).toContain('check FRED_API_KEY');
  });
});

it.each<[Env, string, RegExp]>([
  [{ FRED_API_KEY: '' }, 'ICSA', /Bundled figures.*For current figures, set FRED_API_KEY/],
  [{ FRED_API_KEY: '' }, 'DEXJPUS', /Bundled figures.*run `quantshelf sync macro`/],
  [{ FRED_API_KEY: 'nonsense' }, 'DEXJPUS', /FRED_API_KEY is not a valid FRED key/],
  [{ QUANTSHELF_OFFLINE: '1' }, 'DEXJPUS', /QUANTSHELF_OFFLINE is set/],
])(
  'with the settings %j, the stored figures of %s are served without a request, and a notice says why',
  async (more, series, notice) => {
    const { data, meta } = await history(series, more);
    // The figures are months old.
    expect(data.stale).toBe(true);
    expect(meta.notice).toMatch(notice);
    expect(fred.requests).toEqual([]);
  },
);

describe('quantshelf sync macro', () => {
  async function sync(start = runHere) {
    const { stdout, stderr, code } = await start(['sync', 'macro', '--json'], home, env);
    expect(stdout + stderr).not.toContain(TEST_KEY);
    return { code, stderr, report: JSON.parse(stdout).macro };
  }

  it('fills every series in the run after a failed one, and requests only due series from then on', async () => {
    fred.fault('observations', Array(9).fill({ kind: 'status', status: 500 }));
    const failed = await sync(quantshelf);
    expect(failed.code).toBe(1);
    expect(failed.report.error).toMatch(/FRED answered with status 500/);
    const first = await sync();
    expect(first, first.stderr).toMatchObject({
      code: 0,
      report: { failed: 0, withObservations: 56, error: null, finished: true },
    });
    const requestsBefore = fred.requests.length;
    expect(requestsBefore).toBeGreaterThanOrEqual(56 * 3);

    const payems = fred.series.find(({ id }) => id === 'PAYEMS');
    payems?.history.publish('2026-11-20', { '2026-10-01': 158_900 });
    const unchanged = { code: 0, report: { changed: 0, unchanged: 56, failed: 0 } };
    expect(await sync()).toMatchObject(unchanged);
    expect(fred.requests).toHaveLength(requestsBefore);
    const due = "UPDATE macro_series SET next_due = NULL WHERE series_id IN ('PAYEMS', 'UNRATE')";
    edit(storeIn(home), due);
    expect(await sync()).toMatchObject({ code: 0, report: { changed: 1, unchanged: 55 } });
    expect(fred.requests).toHaveLength(requestsBefore + 2);
    const { data } = await history('PAYEMS');
    expect(data.observations.at(-1)).toMatchObject({
      value: 158_900,
      realtime_start: '2026-11-20',
    });
  });

  it('fails without a FRED key if no agency can be reached, and says where to get a key', async () => {
    const { code, stdout, stderr } = await quantshelf(['sync', 'macro'], home, {
      ...env,
      FRED_API_KEY: '',
    });
    expect(stdout).toContain('FRED_API_KEY is not set');
    expect(stdout).toContain('https://fred.stlouisfed.org/docs/api/api_key.html');
    expect(stdout).toMatch(
      /^macro: nothing was synced\. .*The shelf contains .*7 agencies could not be reached\./,
    );
    const unreachable = stderr.match(/^macro: \S+ could not be reached$/gm) ?? [];
    expect(unreachable).not.toEqual([]);
    expect(new Set(unreachable).size).toBe(unreachable.length);
    const status = await runHere(['status'], home);
    expect(status.stdout).toMatch(/last error: 7 agencies could not be reached\.$/m);
    expect(code).toBe(1);
  });
});
