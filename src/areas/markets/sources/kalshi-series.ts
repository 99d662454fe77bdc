import * as z from 'zod';
import kalshi from '../../../../data/kalshi.json' with { type: 'json' };
import { listOf } from '../../../core/json-lists.ts';

export const ticker = z.string().regex(/^[\w.-]{1,100}$/);
export const sources = listOf(z.object({ url: z.string().nullish() }), 200)
  .nullish()
  .catch(null);

export const kalshiSeries = z.object({
  ticker,
  category: z.string(),
  tags: z.array(z.string()).nullish(),
  frequency: z.string().nullish(),
  settlement_sources: sources,
});
export type KalshiSeries = z.output<typeof kalshiSeries>;

const FINANCE_TAGS: ReadonlyMap<string, string> = new Map(
  kalshi.categories.map(({ category, tag }) => [category, tag]),
);
const TAGS: ReadonlyMap<string, string> = new Map(Object.entries(kalshi.tags));
/** The categories that hold series on finance. */
export const CATEGORIES = [...FINANCE_TAGS.keys(), kalshi.beyond.category];

/** Our finance tags for the events of a series; none where it is not on finance. */
export function financeTagsOf({ ticker: name, category, tags }: KalshiSeries): string[] {
  const own = (tags ?? []).flatMap((tag) => TAGS.get(tag) ?? []);
  const byCategory = FINANCE_TAGS.get(category);
  if (byCategory !== undefined) {
    if (kalshi.without.some((part) => name.includes(part))) return [];
    return [...new Set(own.length > 0 ? own : [byCategory])];
  }
  if (category !== kalshi.beyond.category) return [];
  const bare = name.replace(/^KX/, '');
  const byTicker = Object.entries(kalshi.beyond.tickers).find(([start]) => bare.startsWith(start));
  return [...new Set([...(byTicker?.slice(1) ?? []), ...own])];
}

/** Whether an event is finance by ticker and series alone, before its markets are read. */
export function isInScope(eventTicker: string, series: KalshiSeries | null): boolean {
  const { frequencies, tags } = kalshi.windows;
  return (
    series !== null &&
    !eventTicker.startsWith(kalshi.combos) &&
    !frequencies.includes(series.frequency ?? '') &&
    !(series.tags ?? []).some((tag) => tags.includes(tag)) &&
    financeTagsOf(series).length > 0
  );
}
