import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinAbutting, mergeVintages } from '../../../../src/areas/macro/facts/vintages.ts';
import { storeFill } from '../../../../src/areas/macro/fills.ts';
import { listCurrent, listSeries } from '../../../../src/areas/macro/queries.ts';
import { createFredSource } from '../../../../src/areas/macro/sources/fred.ts';
import { fetchVintages } from '../../../../src/areas/macro/sources/fred-vintages.ts';
import type { HttpClient } from '../../../../src/upstream/client.ts';
import { makeSeries, TEST_KEY } from '../../../stand-ins/fred.ts';
import { FredHistory, type Published, shift } from '../../../stand-ins/fred-history.ts';
import {
  type FredSettings,
  respondAsFred,
  type StandInSeries,
} from '../../../stand-ins/fred-responses.ts';
import { archiveOf, readVintages, shelfOf, vintage } from './model.ts';
import { copyShelf } from './shelf.ts';

const DATES = ['1990-01-01', '2001-02-01', '2001-03-01', '2001-04-01', '2001-05-01'];
/** The anchor never disappears, so that there is always a value to send. */
const [ANCHOR = '', ...OTHERS] = DATES;
const BEGIN = '2001-03-15';

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Published>(1, 2, '1.0', '2.50', 3.25) },
  { weight: 1, arbitrary: fc.constant<Published>(null) },
  { weight: 1, arbitrary: fc.constant<Published>('gone') },
);
interface Release {
  day: string;
  changes: Readonly<Record<string, Published>>;
}

/** A release changes some dates, or rebases all of them. */
const changes = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...OTHERS), value, { maxKeys: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 3, max: 5 })
      .map((base): Release['changes'] => Object.fromEntries(DATES.map((date) => [date, base]))),
  },
);
/** Days apart, 0 for a second release on the same day. */
const releases = fc
  .array(fc.record({ apart: fc.nat(3), changes }), { minLength: 1, maxLength: 14 })
  .map((list) => {
    let day = BEGIN;
    return list.map((each, index): Release => {
      day = shift(day, index === 0 ? 0 : Math.max(each.apart, index === 1 ? 1 : 0));
      if (index === 0) return { day, changes: { ...each.changes, [ANCHOR]: 7 } };
      // A value withdrawn by a second release on the same day stays: a response that lacks a date says
      // nothing about it.
      const changes = Object.entries(each.changes).filter(
        ([, change]) => each.apart > 0 || (change !== 'gone' && change !== null),
      );
      return { day, changes: Object.fromEntries(changes) };
    });
  });

const standIn: { series: StandInSeries[]; settings: FredSettings } = {
  series: [],
  settings: { apiKey: TEST_KEY, mostVintages: 2_000, today: '2026-11-21' },
};
/** Gets the stand-in's responses without a socket, since there are thousands. */
const client: Pick<HttpClient, 'get'> = {
  async get(url, request) {
    const { status, body } = respondAsFred(new URL(url), standIn.series, standIn.settings);
    if (status !== 200 && !request.statuses?.includes(status)) throw new Error(`status ${status}`);
    return request.read({ status, body });
  },
};
const source = createFredSource(client, { baseUrl: 'http://fred', apiKey: TEST_KEY });
const empty = shelfOf('TEST');

async function refill(db: typeof empty, perRequest?: number): Promise<void> {
  const lastVintage = listSeries(db)[0]?.lastVintage ?? null;
  const fill = await fetchVintages(source, 'TEST', lastVintage, undefined, perRequest);
  storeFill(db, fill);
  // The same fill may arrive twice.
  const once = readVintages(db);
  expect(storeFill(db, fill)).toBe(false);
  expect(readVintages(db)).toEqual(once);
}

describe('any history of vintages', () => {
  it('is the same whether it is filled at once, in blocks, day by day, or with gaps', async () => {
    await fc.assert(
      fc.asyncProperty(
        releases,
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.boolean()),
        async (history, vintagesPerRequest, skips) => {
          const series = makeSeries({ history: new FredHistory() });
          standIn.series = [series];
          const daily = copyShelf(empty);
          const seldom = copyShelf(empty);
          for (const [index, release] of history.entries()) {
            series.history.publish(release.day, release.changes);
            standIn.settings.mostVintages = 2_000;
            await refill(daily);
            if (index > 0 && skips.next().value) continue;
            standIn.settings.mostVintages = vintagesPerRequest;
            await refill(seldom, vintagesPerRequest);
          }
          standIn.settings.mostVintages = vintagesPerRequest;
          const atOnce = copyShelf(empty);
          await refill(atOnce, vintagesPerRequest);
          await refill(seldom, vintagesPerRequest);
          const vintages = readVintages(atOnce);
          expect(joinAbutting(vintages)).toEqual(vintages);
          expect(readVintages(seldom)).toEqual(vintages);
          expect(readVintages(daily)).toEqual(vintages);
          expect(listCurrent(daily, 'TEST', { start: '' })).toMatchObject(
            vintages.filter(({ rtEnd }) => rtEnd === null),
          );
          const publishedOn = (day: string, date: string) => {
            const period = { from: day, to: day, start: date, end: date };
            const [row] = series.history.listRows(period);
            return row && (row.value === '.' ? null : Number(row.value));
          };
          const archive = archiveOf(atOnce, 'TEST');
          const end = shift(history.at(-1)?.day ?? BEGIN, 1);
          for (let day = shift(BEGIN, -1); day <= end; day = shift(day, 1)) {
            const known = DATES.map((date) => archive(date, day)?.value);
            expect(known, day).toEqual(DATES.map((date) => publishedOn(day, date)));
          }
          for (const db of [daily, seldom, atOnce]) db.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('vintages of one date from two sources', () => {
  const seen = (value: number, day: string) => vintage('2026-03-01', value, day, { exact: 0 });

  it('form one sequence of values, each from the day it became certain', () => {
    const packed = [
      { ...vintage('2026-03-01', 10, '2026-04-03'), rtEnd: '2026-05-07' },
      vintage('2026-03-01', 11, '2026-05-08'),
    ];
    const synced = [{ ...seen(10, '2026-04-20'), rtEnd: '2026-05-19' }, seen(11, '2026-05-20')];
    expect(mergeVintages(packed, synced)).toEqual(packed);
    const [first, second] = packed;
    const revised = seen(12, '2026-09-01');
    expect(mergeVintages(packed, [...synced, revised])).toEqual([
      first,
      { ...second, rtEnd: '2026-08-31' },
      revised,
    ]);
  });

  it('put an estimate on the day it became certain if the other source has an earlier certain value', () => {
    const estimate = { ...seen(11, '2026-04-03'), knownFrom: '2026-08-21' };
    expect(mergeVintages([estimate], [seen(10, '2026-06-01')])).toEqual([
      { ...seen(10, '2026-06-01'), rtEnd: '2026-08-20' },
      seen(11, '2026-08-21'),
    ]);
  });
});
