import * as z from 'zod';
import { known } from '../../core/envelope.ts';
import type { Answer, View } from '../../core/operation.ts';
import { spellCommands } from '../../core/text.ts';
import { easternDay } from './agencies/calendar.ts';
import { AGENCIES } from './agencies/feed.ts';
import { nextReleaseOf } from './due.ts';
import type { ObservationRow, SeriesRow } from './queries.ts';
import { isFirstPublished } from './releases.ts';

// What the two tools answer, and what a model reads of it.

const FRED_NOTICE =
  'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.';

/** The source notice that clients must display with the figures. */
export function attributionOf(series: SeriesRow): string {
  const { origin, agency, source, taken } = series;
  const older =
    origin === 'fred'
      ? `${FRED_NOTICE} Source: ${source} via FRED.`
      : `Source: ${source.replace(/\.?$/, '.')}`;
  if (agency === null || taken === null) return older;
  const { credit, terms } = AGENCIES[agency];
  const notice = `${credit}, accessed ${easternDay(new Date(taken))}${terms}`;
  return origin !== 'fred' && credit === source
    ? `Source: ${notice}`
    : `${older} Newest figures: ${notice}`;
}

const release = z.object({
  date: z.string().describe('YYYY-MM-DD.'),
  exact: z.boolean().describe('Announced; otherwise an estimate.'),
});

export const catalogueItem = z.object({
  indicator: z.string().describe('Alias, for macro_indicator_history.'),
  series_id: z.string().describe('FRED id, also for macro_indicator_history.'),
  title: z.string().describe('Name of the series.'),
  category: z.string().describe('One of the values of the argument `category`.'),
  frequency: z.string().describe('Daily, Weekly, Monthly, Quarterly or Annual.'),
  units: z.string().describe('Unit of the values.'),
  seasonal_adjustment: z.string().describe('Seasonal adjustment, as FRED states it.'),
  source: z.string().describe('Publisher.'),
  observation_start: z
    .string()
    .describe(
      'First stored period; this and the next two fields are absent while there are no figures.',
    )
    .exactOptional(),
  observation_end: z.string().describe('Last stored period.').exactOptional(),
  last_updated: z.string().describe('When FRED last changed it.').exactOptional(),
  next_release: release.describe('Next day of publication, today included.').exactOptional(),
  copyright_status: z.string().describe('Copyright, as FRED states it.'),
  attribution: z.string().describe('Must be shown with the figures.'),
});

export function toItem(series: SeriesRow, now: Date): z.output<typeof catalogueItem> {
  return {
    indicator: series.indicator,
    series_id: series.seriesId,
    title: series.title,
    category: series.category,
    frequency: series.frequency,
    units: series.units,
    seasonal_adjustment: series.seasonalAdjustment,
    source: series.source,
    ...known({
      observation_start: series.observationStart,
      observation_end: series.observationEnd,
      last_updated: series.lastUpdated,
    }),
    ...describeNext(series, now),
    copyright_status: series.copyrightStatus,
    attribution: attributionOf(series),
  };
}

/** The next release, which a series that has ended lacks. */
export function describeNext(
  series: SeriesRow,
  now: Date,
): { next_release?: z.output<typeof release> } {
  const next = nextReleaseOf(series, now);
  return next === undefined ? {} : { next_release: { date: next.date, exact: next.exact } };
}

/** What a model reads of the catalogue: what tells the series apart, and how far its figures go. */
export function viewOfItems({ data }: Answer<z.output<typeof catalogueItem>[]>): View {
  return {
    data: data.map(
      ({ source: _source, last_updated: _updated, attribution: _attribution, ...item }) => {
        const { copyright_status, ...rest } = item;
        return copyright_status.startsWith('Copyrighted') ? item : rest;
      },
    ),
  };
}

const observation = z.object({
  date: z.string().describe('Start of the period, YYYY-MM-DD.'),
  value: z.number().nullable().describe('Null if the period has no value.'),
  realtime_start: z
    .string()
    .describe('Day on which this value, perhaps a revision, came out; an estimate unless `exact`.'),
  realtime_end: z.string().describe('The same day: only the latest vintage is served.'),
  exact: z
    .boolean()
    .describe('realtime_start was observed. Says nothing of earlier values.')
    .exactOptional(),
  revised: z
    .boolean()
    .describe('An earlier value is stored too; absent where none is known.')
    .exactOptional(),
  first_value: z.number().describe('First published value, where stored.').exactOptional(),
  first_units: z
    .string()
    .describe('Its unit, where that was another, such as an older base.')
    .exactOptional(),
});

export const history = z.object({
  indicator: z.string().describe('Alias of the series.'),
  series_id: z.string().describe('Its id at FRED.'),
  title: z.string().describe('Its name.'),
  frequency: z.string().describe('Daily, Weekly, Monthly, Quarterly or Annual.'),
  units: z.string().describe('Unit of the values.'),
  attribution: z.string().describe('Must be shown with the figures.'),
  stale: z.boolean().describe('True if newer figures are due but not held here.'),
  next_release: release.describe('Next day of publication, today included.').exactOptional(),
  ended: z
    .boolean()
    .describe(
      'True if the series seems to have stopped: no figures for much longer than its usual lag.',
    )
    .exactOptional(),
  // Last: a host that shortens a long reply then keeps everything else.
  observations: z.array(observation).describe('Oldest first.'),
});

/** Only current values are served, so realtime_end equals realtime_start. */
export function toObservation(
  series: SeriesRow,
  row: ObservationRow,
): z.output<typeof observation> {
  const { date, value, published, exact, first } = row;
  // Assigned, not spread: a long history has 16,000 of them.
  const entry: z.output<typeof observation> = {
    date,
    value,
    realtime_start: published,
    realtime_end: published,
  };
  if (exact === 1) entry.exact = true;
  if (first !== undefined) entry.revised = true;
  if (typeof first?.value === 'number' && isFirstPublished(series, first)) {
    entry.first_value = first.value;
    if (first.units !== null) entry.first_units = first.units;
  }
  return entry;
}

interface Value {
  date: string;
  value: number | null;
}

/** Most observations that a text shows. */
const MAX_SHOWN = 200;
/** Characters of the sentence that says what is left out. */
const SENTENCE = 300;

/** What a model reads of a history: all of a short one, and of a long one an even choice. */
export function viewOfHistory<O extends Value>(
  { data }: Answer<{ indicator: string; observations: O[] }>,
  room: number,
): View {
  const { observations, ...series } = data;
  const left = room - JSON.stringify(series).length - SENTENCE;
  const { shown, step } = thin(observations, left);
  return {
    data: { ...series, observations: shown },
    ...(step === 1
      ? {}
      : {
          told: spellCommands(
            `this text shows ${shown.length} of ${observations.length.toLocaleString('en-US')} observations, one in ${step} ` +
              'with the first, last, lowest and highest: ask for less with a shorter window; ' +
              `structuredContent, REST and \`quantshelf export macro ${series.indicator}\` have all.`,
          ),
        }),
  };
}

/** The observations that fit, counted back from the newest in even steps. */
function thin<O extends Value>(
  observations: readonly O[],
  room: number,
): { shown: readonly O[]; step: number } {
  const length = JSON.stringify(observations).length / Math.max(1, observations.length);
  const most = Math.min(MAX_SHOWN, Math.max(10, Math.floor(room / (length + 1))));
  if (observations.length <= most) return { shown: observations, step: 1 };
  // The first, the lowest and the highest may come in addition.
  const step = Math.ceil(observations.length / (most - 3));
  const last = observations.length - 1;
  const sorted = observations.filter(isReported).sort((a, b) => a.value - b.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  const shown = observations.filter(
    (each, at) => at === 0 || (last - at) % step === 0 || each === lowest || each === highest,
  );
  return { shown, step };
}

function isReported<O extends Value>(row: O): row is O & { value: number } {
  return row.value !== null;
}

/** When a long history with values of both signs, such as a spread, last changed its sign: a thinned text cannot show it. */
export function describeSign(observations: readonly Value[]): string {
  if (observations.length <= MAX_SHOWN) return '';
  const signed = observations.filter(isReported).filter(({ value }) => value !== 0);
  const newest = signed.findLast(({ value }, at) => value * (signed[at - 1]?.value ?? value) < 0);
  if (newest === undefined) return '';
  return `${newest.value > 0 ? 'Positive' : 'Negative'} since ${newest.date}.`;
}
