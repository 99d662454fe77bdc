import * as z from 'zod';
import { known } from '../../core/envelope.ts';
import { invalidRequest } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import type { Answer, View } from '../../core/operation.ts';
import { attributionOf } from './notices.ts';
import type { SeriesRow } from './queries.ts';

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
  copyright_status: z.string().describe('Copyright, as FRED states it.'),
  attribution: z.string().describe('Must be shown with the figures.'),
});

export function toItem(series: SeriesRow): z.output<typeof catalogueItem> {
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
    copyright_status: series.copyrightStatus,
    attribution: attributionOf(series),
  };
}

export function indicatorUri(alias: string): string {
  return `quantshelf://indicator/${encodeURIComponent(alias)}`;
}

export function asOfUri(alias: string, day: string): string {
  return `quantshelf://macro/${encodeURIComponent(alias)}/as-of/${day}`;
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

/** Throws `invalid_request` for what is no day, or one of which nobody knows the figures yet. */
export function expectPastDay(day: string, now: Date): void {
  if (!isCalendarDay(day)) throw invalidRequest('The day must be YYYY-MM-DD.', 'date');
  if (day > now.toISOString().slice(0, 10)) {
    throw invalidRequest(
      'The day must not be in the future: nobody knows its figures yet.',
      'date',
    );
  }
}
