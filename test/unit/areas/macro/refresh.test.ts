import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSeries, listCurrent } from '../../../../src/areas/macro/queries.ts';
import { createMacroRefresher, type MacroRefresher } from '../../../../src/areas/macro/refresh.ts';
import { fredSource } from '../../../../src/areas/macro/visit.ts';
import { type FredStandIn, makeSeries } from '../../../stand-ins/fred.ts';
import { FredHistory } from '../../../stand-ins/fred-history.ts';
import { shelfOf } from './model.ts';
import { startSource } from './start-fred.ts';

let clock: Date;
let db: ReturnType<typeof shelfOf>;
let fred: FredStandIn;
let history: FredHistory;
let refresher: MacroRefresher;
let isUnreachable: boolean;

beforeEach(async () => {
  clock = new Date('2026-06-06T12:00:00Z');
  isUnreachable = false;
  history = new FredHistory()
    .publish('2026-04-03', { '2026-03-01': 1 })
    .publish('2026-05-04', { '2026-04-01': 2 })
    .publish('2026-06-05', { '2026-05-01': 3 });
  const { standIn, source } = await startSource([makeSeries({ history })]);
  fred = standIn;
  db = shelfOf('TEST');
  refresher = createMacroRefresher({
    db,
    origin: {
      sourceOf: (seriesId) => fredSource(source, seriesId),
      isUnreachable: () => isUnreachable,
    },
    now: () => clock,
    alone: (_, work) => work(),
    log() {},
  });
});
afterEach(() => refresher.close());

const newest = () => listCurrent(db, 'TEST', 1)[0];
const state = () => findSeries(db, 'TEST');
const setClock = (day: string) => {
  clock = new Date(`${day}T20:00:00Z`);
};

describe('a series', () => {
  it('is not requested while FRED is unreachable, but is as soon as FRED is back', async () => {
    isUnreachable = true;
    expect(await refresher.freshen('TEST')).toBe('unreachable');
    expect(fred.requests).toEqual([]);
    isUnreachable = false;
    expect(await refresher.freshen('TEST')).toBe('settled');
    expect(newest()).toMatchObject({ value: 3 });
  });

  it('is retried after a minute if FRED was unreachable', async () => {
    await fred.close();
    expect(await refresher.freshen('TEST')).toBe('settled');
    expect(state()).toMatchObject({
      stale: 1,
      fault: 'FRED could not be reached.',
      retryAt: new Date(clock.getTime() + 60_000).toISOString(),
    });
  });

  it('is refreshed again after a fast clock is corrected', async () => {
    setClock('2031-01-01');
    await refresher.freshen('TEST');
    setClock('2026-07-06');
    history.publish('2026-07-06', { '2026-06-01': 4 });
    await refresher.freshen('TEST');
    expect(newest()).toMatchObject({ date: '2026-06-01', value: 4 });
  });

  it('stays empty if the first response does not cover the dates that FRED reports', async () => {
    const whole = history.listRows.bind(history);
    history.listRows = (window) =>
      window.from === window.to ? whole(window) : whole(window).slice(-1);
    await refresher.freshen('TEST');
    expect(state()).toMatchObject({ stale: 1, observationEnd: null });
  });

  it('stays empty if FRED sends a vintage date in the future, and recovers from a stored one', async () => {
    history.publish('2999-01-01', { '2026-06-01': 9 });
    await refresher.freshen('TEST');
    expect(state()).toMatchObject({ stale: 1, observationEnd: null });
    db.exec(
      "UPDATE macro_series SET last_vintage = '2999-01-01', next_due = NULL, retry_at = NULL",
    );
    fred.series[0] = makeSeries({
      history: new FredHistory().publish('2026-06-05', { '2026-05-01': 3 }),
    });
    await refresher.freshen('TEST');
    expect(state()).toMatchObject({
      stale: 0,
      observationEnd: '2026-05-01',
      lastVintage: '2026-06-05',
    });
  });

  it('keeps its figures if the refresher closes during a refresh', async () => {
    await refresher.freshen('TEST');
    setClock('2026-07-10');
    fred.fault('/fred/', [{ kind: 'hang' }]);
    const before = fred.requests.length;
    const refresh = refresher.freshen('TEST');
    await expect.poll(() => fred.requests.length).toBeGreaterThan(before);
    await refresher.close();
    await refresh;
    expect(newest()).toMatchObject({ value: 3 });
    expect(state()).toMatchObject({ stale: 0 });
  });
});
