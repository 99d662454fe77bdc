import * as z from 'zod';
import { known } from '../../../core/envelope.ts';
import { attributionOf } from '../notices.ts';
import type { SeriesRow } from '../queries.ts';

export const catalogueItem = z.object({
  indicator: z.string().describe('Alias; macro_indicator_history takes it.'),
  series_id: z.string().describe('Id at FRED, which it takes as well.'),
  title: z.string().describe('Name of the series.'),
  category: z.string().describe('One of the values of the argument `category`.'),
  frequency: z.string().describe('Daily, Weekly, Monthly, Quarterly or Annual.'),
  units: z.string().describe('What a value counts.'),
  seasonal_adjustment: z.string().describe('How it is adjusted, in the words of FRED.'),
  source: z.string().describe('Who publishes it.'),
  observation_start: z
    .string()
    .describe('First period held; absent while there are no figures, like the two that follow.')
    .exactOptional(),
  observation_end: z.string().describe('Last period held.').exactOptional(),
  last_updated: z.string().describe('When FRED last changed it.').exactOptional(),
  copyright_status: z.string().describe('What FRED says of its copyright.'),
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
