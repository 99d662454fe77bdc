import * as z from 'zod';
import { withoutNulls } from '../../core/envelope.ts';
import type { ReplySize } from '../../core/reply.ts';
import { AGENCIES } from './facts/agencies.ts';
import { easternDay } from './facts/calendar.ts';
import { hasEnded, isFirstPublished, nextRelease } from './facts/releases.ts';
import type { Observation, SeriesRow } from './queries.ts';

const FRED_NOTICE =
  'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.';

/** The credit that clients must display with the figures. */
export function attributionOf(series: SeriesRow): string {
  const { origin, agency, source, taken } = series;
  const older =
    origin === 'fred'
      ? `${FRED_NOTICE} Source: ${source} via FRED.`
      : `Source: ${source.replace(/\.?$/, '.')}`;
  if (agency === null || taken === null) return older;
  const { credit, terms } = AGENCIES[agency];
  const notice = `${credit}, accessed ${easternDay(new Date(taken))}${terms}`;
  return credit === source ? `Source: ${notice}` : `${older} Newest figures: ${notice}`;
}

const release = z.object({
  date: z.string().describe('YYYY-MM-DD.'),
  exact: z.boolean().describe('True if announced, false if estimated.'),
});

export const catalogueItem = z.object({
  indicator: z.string().describe('Alias, for macro_indicator_history.'),
  series_id: z.string().describe('FRED id, also accepted by macro_indicator_history.'),
  title: z.string().describe('Name of the series.'),
  category: z.string().describe('Value for the argument `category`.'),
  frequency: z.string().describe('Daily, Weekly, Monthly, Quarterly or Annual.'),
  units: z.string().describe('Unit of the values.'),
  seasonal_adjustment: z.string().describe('Seasonal adjustment, as FRED states it.'),
  source: z.string().describe('Publisher; `attribution` names it too.').exactOptional(),
  has_figures: z
    .literal(false)
    .describe('False if no figures are stored; the next three fields are then absent.')
    .exactOptional(),
  observation_start: z.string().describe('First stored period.').exactOptional(),
  observation_end: z.string().describe('Last stored period.').exactOptional(),
  last_updated: z.string().describe('When the series last changed.').exactOptional(),
  next_release: release.describe('Next publication day; may be today.').exactOptional(),
  copyright_status: z.string().describe('Copyright, as FRED states it.').exactOptional(),
  attribution: z.string().describe('Must be shown with the figures.'),
});

/** The fields that every reply about a series contains. */
export function identify(series: SeriesRow) {
  const { indicator, seriesId: series_id, title, frequency, units } = series;
  return { indicator, series_id, title, frequency, units, attribution: attributionOf(series) };
}

export function toItem(series: SeriesRow, now: Date): z.output<typeof catalogueItem> {
  return {
    ...identify(series),
    category: series.category,
    seasonal_adjustment: series.seasonalAdjustment,
    source: series.source,
    ...(series.observationEnd === null ? { has_figures: false } : {}),
    ...withoutNulls({
      observation_start: series.observationStart,
      observation_end: series.observationEnd,
      last_updated: series.lastUpdated,
    }),
    ...describeNext(series, now),
    copyright_status: series.copyrightStatus,
  };
}

/** The next release; none for a series that has ended. */
export function describeNext(
  series: SeriesRow,
  now: Date,
): { next_release?: z.output<typeof release> } {
  const next = hasEnded(series) ? undefined : nextRelease(series, easternDay(now));
  return next === undefined ? {} : { next_release: { date: next.date, exact: next.exact } };
}

/**
 * Shortens a list that exceeds its limit: drops `source`, which the attribution names too, and the
 * copyright status of series that are not copyrighted.
 */
export function shortenItems(
  items: z.output<typeof catalogueItem>[],
  { list: limit }: ReplySize,
): z.output<typeof catalogueItem>[] {
  if (JSON.stringify(items).length <= limit) return items;
  return items.map(({ source: _, copyright_status: status, ...item }) =>
    status?.startsWith('Copyrighted') ? { ...item, copyright_status: status } : item,
  );
}

const observation = z.object({
  date: z.string().describe('First day of the period, but last day of a week, YYYY-MM-DD.'),
  value: z.number().nullable().describe('Null if the period has no value.'),
  realtime_start: z
    .string()
    .describe(
      'With `exact`, the day on which this value came out; else an estimate, perhaps of an earlier print.',
    ),
  realtime_end: z.string().describe('Always equals realtime_start.'),
  exact: z.boolean().describe('True if realtime_start was observed; else absent.').exactOptional(),
  revised: z
    .boolean()
    .describe('True if an earlier value is also stored, else absent.')
    .exactOptional(),
  first_value: z.number().describe('First published value, if stored.').exactOptional(),
  first_units: z.string().describe('Unit or base of first_value, if different.').exactOptional(),
});

export const history = z.object({
  indicator: z.string().describe('Alias of the series.'),
  series_id: z.string().describe('FRED id.'),
  title: z.string().describe('Name of the series.'),
  frequency: z.string().describe('Daily, Weekly, Monthly, Quarterly or Annual.'),
  units: z.string().describe('Unit of the values.'),
  attribution: z.string().describe('Must be shown with the figures.'),
  stale: z.boolean().describe('True if newer figures are due but not stored here.'),
  next_release: release.describe('Next publication day; may be today.').exactOptional(),
  ended: z
    .boolean()
    .describe('True if the series seems to have stopped: its next figure is over a year overdue.')
    .exactOptional(),
  // Last, so that a host that truncates a long reply keeps everything else.
  observations: z.array(observation).describe('Oldest first.'),
});

export function toObservation(
  series: SeriesRow,
  { date, value, rtStart, exact, first }: Observation,
): z.output<typeof observation> {
  // Assign instead of spreading: a long history has 16,000 observations.
  const entry: z.output<typeof observation> = {
    date,
    value,
    realtime_start: rtStart,
    realtime_end: rtStart,
  };
  if (exact === 1) entry.exact = true;
  if (first !== undefined) entry.revised = true;
  if (typeof first?.value === 'number' && isFirstPublished(series, first)) {
    entry.first_value = first.value;
    if (first.units) entry.first_units = first.units;
  }
  return entry;
}
