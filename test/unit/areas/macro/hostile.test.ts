import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillMacro } from '../../../../scripts/starter/macro-fill.ts';
import { AGENCY_NAMES, feedsOf } from '../../../../src/areas/macro/facts/agencies.ts';
import { findSeries, listCurrent } from '../../../../src/areas/macro/queries.ts';
import type { Feed } from '../../../../src/areas/macro/sources/feed.ts';
import {
  FIRST_DAY,
  type FredSource,
  type ObservationPeriod,
} from '../../../../src/areas/macro/sources/fred.ts';
import { agencySource, fredSource, visit } from '../../../../src/areas/macro/visit.ts';
import { shiftDay, toDay } from '../../../../src/core/time.ts';
import { starterMacro } from '../../../starter.ts';
import { readVintages } from './model.ts';
import { copyShelf, makeShelf } from './shelf.ts';
import { signal } from './sources/start-agency.ts';

/** No real series comes close. */
const SUPERSEDED = 9_000_000_000;
const NOW = new Date('2026-11-21T12:00:00Z');
const TODAY = toDay(NOW);
const SERIES = ['UNRATE', 'HOUST'];

const filled = makeShelf();
const starter = await starterMacro();
fillMacro(filled, {
  ...starter,
  series: starter.series.filter(({ seriesId }) => SERIES.includes(seriesId)),
});
const whole = new Map(
  SERIES.map((id) => [id, listCurrent(filled, id, { start: '', end: '9999-12-31' })]),
);

const RELEASES = AGENCY_NAMES.flatMap((agency) =>
  feedsOf(agency).map(({ name }) => [name, agency] as const),
);

const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map(toDay);
const value = fc.oneof(
  fc.constant(null),
  fc.double({ noNaN: true }),
  fc.constantFrom(-1, 0, 9_999_999),
);
const storedDay = fc.constantFrom(...(whole.get('HOUST') ?? []).map(({ date }) => date));
const share = fc.double({ min: 0, max: 1, noNaN: true });
/** A history that lost a part, measures something else, or has made-up figures. */
const response = fc.record({
  // Most are almost whole, so that they are accepted.
  from: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, share),
  to: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, share),
  factor: fc.constantFrom(1, 1, 1, 1, 1.001, 0.001, 1_000, -1, 0),
  figures: fc.array(fc.tuple(fc.oneof(day, storedDay), value), { maxLength: 8 }),
});
type HostileResponse = typeof response extends fc.Arbitrary<infer T> ? T : never;

function figuresOf(id: string, { from, to, factor, figures }: HostileResponse) {
  const own = whole.get(id) ?? [];
  const values = new Map<string, number | null>();
  for (const { date, value } of own.slice(from * own.length, Math.ceil(to * own.length))) {
    values.set(date, value && value * factor);
  }
  for (const [date, value] of figures) values.set(date, value);
  return [...values]
    .map(([date, value]) => ({ date, value }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** A release that seems to publish these series. */
const feed = ([name, agency]: (typeof RELEASES)[number], hostile: HostileResponse): Feed => ({
  name,
  agency,
  seriesIds: SERIES,
  fetch: async () =>
    SERIES.map((seriesId) => ({ seriesId, figures: figuresOf(seriesId, hostile) })),
});

/** FRED, with vintages of any day. */
const fred = (id: string, hostile: HostileResponse, days: readonly string[]): FredSource => {
  const figures = figuresOf(id, hostile);
  const rows: ObservationPeriod[] = figures.flatMap(({ date, value: now }, at) => {
    const rtStart = days[at % days.length] ?? TODAY;
    const current = { date, value: now, rtStart, rtEnd: null };
    // Superseded values are not compared with their neighbours, since older bases have other units.
    const wild = { date, value: SUPERSEDED + at, rtStart: FIRST_DAY, rtEnd: shiftDay(rtStart, -1) };
    return at % 3 === 0 && rtStart > FIRST_DAY ? [wild, current] : [current];
  });
  return {
    describeSeries: async () => ({
      title: 'x',
      units: 'Percent',
      lastUpdated: NOW.toISOString(),
      observationStart: figures[0]?.date ?? TODAY,
      observationEnd: figures.at(-1)?.date ?? TODAY,
    }),
    listVintageDates: async () => [...days].sort(),
    listObservations: async () => rows,
  };
};

it('no response from FRED or an agency removes a stored figure, makes a superseded one current, sets a future checkpoint or stops a sync', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(response, { minLength: 1, maxLength: 3 }),
      fc.array(fc.oneof(day, fc.constantFrom('2026-11-06', TODAY)), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...RELEASES),
      async (responses, days, release) => {
        const db = copyShelf(filled);
        const tools = { db, now: () => NOW, log: () => {} };
        const sent = new Set(responses.flatMap(({ figures }) => figures.map(([, now]) => now)));
        for (const each of responses) {
          await visit(tools, agencySource(feed(release, each)), signal);
          for (const id of SERIES) await visit(tools, fredSource(fred(id, each, days), id), signal);
        }
        for (const id of SERIES) {
          const rows = readVintages(db, id);
          const after = new Set(rows.flatMap(({ date, value: now }) => (now === null ? [] : date)));
          for (const { date, value: before } of whole.get(id) ?? []) {
            if (before !== null) expect(after.has(date), `${id} ${date}`).toBe(true);
          }
          const series = findSeries(db, id);
          expect((series?.lastVintage ?? '') <= TODAY).toBe(true);
          for (const { value: now } of listCurrent(db, id, { start: '' })) {
            expect(now === null || now < SUPERSEDED || sent.has(now), `${id} serves ${now}`).toBe(
              true,
            );
          }
          expect(series?.observationStart).toBe(whole.get(id)?.[0]?.date);
          for (const { date, rtStart } of rows) {
            expect(date <= '2026-11-22' && rtStart <= '2026-11-22', `${date} ${rtStart}`).toBe(
              true,
            );
          }
        }
        db.close();
      },
    ),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 25) },
  );
}, 600_000);
