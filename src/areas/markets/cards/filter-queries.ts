import type { Database } from 'better-sqlite3';
import type { Filter } from '../../../search/lexical.ts';
import { type EventFilters, recentSince } from './filters.ts';
import { STATUSES } from './normalise.ts';

type Params = Record<string, string | number>;

/** The filters for a search. */
export function filterOf(filters: EventFilters, now: Date): Filter {
  return { from: 'market_event e', id: 'e.id', ...conditionsOf(filters, now) };
}

/** Whether an event passes the filters. */
export function isWithin(db: Database, id: number, filters: EventFilters, now: Date): boolean {
  const { where, params } = conditionsOf(filters, now);
  const row = db
    .prepare<object, 1>(`SELECT 1 FROM market_event e WHERE e.id = @id AND ${where}`)
    .pluck()
    .get({ ...params, id });
  return row === 1;
}

/** The filters as SQL conditions on `market_event e`, with their parameters. */
export function conditionsOf(filters: EventFilters, now: Date): { where: string; params: Params } {
  const { words, tag, asset, start, end, minVolume, minLiquidity } = filters;
  const parts: [sql: string, params: Params][] = [statusCondition(filters, now)];
  for (const [index, word] of words.entries()) {
    parts.push([
      `instr((SELECT t.haystack FROM market_event_text t WHERE t.id = e.id), @word${index}) > 0`,
      { [`word${index}`]: word },
    ]);
  }
  if (tag !== null) parts.push([hasTag('@tag'), { tag }]);
  if (asset !== null) {
    parts.push('slug' in asset ? [hasTag('@slug'), asset] : [HAS_ASSET, asset]);
  }
  if (start !== null && end !== null) {
    parts.push(['e.resolution_time BETWEEN @start AND @end', { start, end }]);
  }
  if (minVolume !== null) parts.push(['e.volume >= @minVolume', { minVolume }]);
  if (minLiquidity !== null) parts.push(['e.liquidity >= @minLiquidity', { minLiquidity }]);
  return {
    where: parts.map(([sql]) => sql).join(' AND '),
    params: Object.assign({}, ...parts.map(([, params]) => params)),
  };
}

// The unary plus keeps SQLite on the browse-order index; starting from the ids of a common tag, it
// would read and sort them all.
const HAS_ASSET = '+e.id IN (SELECT a.event_id FROM market_event_asset a WHERE a.asset = @asset)';

function hasTag(parameter: string): string {
  return `+e.id IN (SELECT t.event_id FROM market_event_tag t WHERE t.tag = ${parameter})`;
}

function statusCondition({ status }: EventFilters, now: Date): [sql: string, params: Params] {
  if (status !== 'active_or_recently_closed') {
    return ['e.sort_rank = @rank', { rank: STATUSES.indexOf(status) }];
  }
  return [
    'e.sort_rank IN (0, 2) AND (e.sort_rank = 0 OR e.sort_closing <= @recent)',
    { recent: -recentSince(now) },
  ];
}
