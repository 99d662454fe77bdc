import { describe, expect, it } from 'vitest';
import { fetchVintages } from '../../../../src/areas/macro/sources/fred-vintages.ts';
import { InvalidResponseError } from '../../../../src/upstream/failures.ts';
import { makeSeries } from '../../../stand-ins/fred.ts';
import { FredHistory, shift } from '../../../stand-ins/fred-history.ts';
import { vintage } from './model.ts';
import { startSource } from './start-fred.ts';

const TODAY = { today: '2050-01-01' };

/** A daily series in which every day brings one value and, occasionally, a revision. */
function daily(vintages: number, first = '2001-01-02'): FredHistory {
  const history = new FredHistory();
  for (let index = 0; index < vintages; index += 1) {
    const day = shift(first, index);
    const changes = { [shift(first, index - 1)]: index };
    if (index % 10 === 9) changes[shift(first, index - 5)] = -index;
    history.publish(day, changes);
  }
  return history;
}

describe('a first fill', () => {
  it('takes two requests, plus one for each block of vintages, newest first', async () => {
    const history = daily(4_000);
    const { standIn, source } = await startSource([makeSeries({ history })], TODAY);
    const fill = await fetchVintages(source, 'TEST', null);
    expect(standIn.requests).toHaveLength(2 + Math.ceil(4_000 / 1_900));
    const day = (index: number) => shift('2001-01-02', index);
    expect(
      standIn
        .queriesOf('series/observations')
        .map(({ realtime_start: from, realtime_end: to }) => [from, to]),
    ).toEqual([
      [day(2_100), '9999-12-31'],
      [day(200), day(2_099)],
      ['1776-07-04', day(199)],
    ]);
    expect(fill.vintages).toHaveLength(4_400);
    // FRED allows 2,000 vintages per response, and refuses 4,000.
    standIn.settings.mostVintages = 4_000;
    const atOnce = await fetchVintages(source, 'TEST', null, undefined, 4_000);
    expect(fill.vintages).toEqual(atOnce.vintages);
  });

  it('reads pages of 100,000 rows, and fails if a revision arrives in between', async () => {
    const history = new FredHistory();
    const dates = Array.from({ length: 50_001 }, (_, index) => shift('1800-01-01', index));
    history.publish('2020-01-01', Object.fromEntries(dates.map((date) => [date, 1])));
    history.publish('2020-02-01', Object.fromEntries(dates.map((date) => [date, 2])));
    const { standIn, source } = await startSource([makeSeries({ history })], TODAY);
    expect((await fetchVintages(source, 'TEST', null)).vintages).toHaveLength(100_002);
    const offsets = standIn.queriesOf('series/observations').map(({ offset }) => offset);
    expect(offsets).toEqual(['0', '100000']);
    standIn.onRequest = ({ path }) => {
      if (path.includes('offset=100000')) history.publish('2020-03-01', { '1800-01-01': 3 });
    };
    await expect(fetchVintages(source, 'TEST', null)).rejects.toThrow('changed the list');
  });

  it('dates figures older than the archive by their usual release if they are never revised', async () => {
    const history = new FredHistory()
      .publish('2005-05-10', { '1990-01-02': 7.94, '2005-05-06': 4.27 })
      .publish('2005-05-11', { '2005-05-10': 4.22 });
    const { source } = await startSource([makeSeries({ id: 'DGS10', history })]);
    expect((await fetchVintages(source, 'DGS10', null)).vintages).toEqual([
      vintage('1990-01-02', 7.94, '1990-01-03', { exact: 0 }),
      vintage('2005-05-06', 4.27, '2005-05-09', { exact: 0 }),
      vintage('2005-05-10', 4.22, '2005-05-11'),
    ]);
  });

  it.each(['NFCI', 'STLFSI4'])('of %s takes the last two years of vintages', async (id) => {
    const history = new FredHistory();
    const dates = Array.from({ length: 150 }, (_, index) => shift('2018-01-05', 7 * index));
    for (const [index, date] of dates.entries()) {
      // Every release but the first republishes every value.
      const known = dates.slice(1, index + 1).map((each) => [each, index + each.length / 100]);
      history.publish(shift(date, 5), { '2018-01-05': 0, ...Object.fromEntries(known) });
    }
    const { standIn, source } = await startSource([makeSeries({ id, history })]);
    const { vintages, lastVintage } = await fetchVintages(source, id, null);
    const last = shift('2018-01-10', 7 * 149);
    expect(lastVintage).toBe(last);
    const floor = standIn.queriesOf('series/observations')[0]?.realtime_start ?? '';
    expect(floor >= `${Number(last.slice(0, 4)) - 2}${last.slice(4)}`).toBe(true);
    expect(history.days).toContain(floor);
    expect(standIn.requests).toHaveLength(3);
    expect(vintages[0]).toEqual(vintage('2018-01-05', 0, floor, { exact: 0 }));
    expect(vintages.every(({ rtStart, exact }) => exact === Number(rtStart > floor))).toBe(true);
  });

  it('is rejected without observations or for an unknown series', async () => {
    const { source } = await startSource([makeSeries()]);
    await expect(fetchVintages(source, 'TEST', null)).rejects.toThrow(InvalidResponseError);
    await expect(fetchVintages(source, 'NONE', null)).rejects.toMatchObject({ code: 'no_series' });
  });
});

describe('a later fill', () => {
  it('takes one request if FRED can send all missed vintages at once', async () => {
    const history = daily(500);
    const { standIn, source } = await startSource([makeSeries({ history })], TODAY);
    const since = shift('2001-01-02', 480);
    const fill = await fetchVintages(source, 'TEST', since);
    expect(standIn.requests).toHaveLength(1);
    expect(fill).toMatchObject({ since, description: null });
    expect(fill.lastVintage).toBe(shift('2001-01-02', 499));
  });

  it('on a new base requests the new units', async () => {
    const history = new FredHistory()
      .publish('2026-04-16', { '2026-02-01': 103.2, '2026-03-01': 103.5 })
      .publish('2026-11-24', { '2026-02-01': 99.1, '2026-03-01': 99.4, '2026-04-01': 99.2 });
    const { source } = await startSource([makeSeries({ history, units: 'Index 2022=100' })], {
      today: '2026-11-24',
    });
    const fill = await fetchVintages(source, 'TEST', '2026-04-16');
    expect(fill.description?.units).toBe('Index 2022=100');
  });
});
