import * as z from 'zod';
import { noticeOf, withoutNulls } from '../../core/envelope.ts';
import { invalidRequest, serviceUnavailable } from '../../core/errors.ts';
import { calendarDay, text, wholeNumber } from '../../core/fields.ts';
import { defineOperation } from '../../core/operation.ts';
import {
  catalogueItem,
  describeNext,
  history,
  identify,
  shortenItems,
  toItem,
  toObservation,
} from './card.ts';
import { hasEnded } from './facts/releases.ts';
import { CATEGORIES, FREQUENCIES, resolveSeries, searchCatalogue } from './find.ts';
import {
  describeHistory,
  describeSearch,
  describeThinned,
  isOpen,
  isStale,
  noFigures,
} from './notices.ts';
import {
  listSeries,
  readHistory,
  type SeriesNames,
  type SeriesRow,
  summariseMacro,
} from './queries.ts';
import { thin } from './thinning.ts';

const AS_OF =
  'It serves current values; those known on a past day are in the resource quantshelf://macro/{indicator}/as-of/{date}.';

/** Number of observations if the caller gives neither `limit` nor dates. */
const RECENT = 60;

export const macroIndicatorSearch = defineOperation({
  name: 'macro_indicator_search',
  title: 'Find U.S. macro indicators',
  description:
    'Finds U.S. economic indicators and their FRED series ids: inflation, CPI, PCE, GDP, payrolls, jobless claims, housing, mortgage, sentiment, yields, dollar, oil. ' +
    'Name the indicator: q matches words of the alias, title, series_id and synonyms; without q it lists the catalogue. For figures, use macro_indicator_history.',
  searchHint:
    'economic indicators, FRED series ids, inflation, CPI, PCE, GDP, payrolls, jobless claims, unemployment, interest rates, yields, housing, mortgage, consumer sentiment, dollar, oil',
  area: 'macro',
  price: 0,
  method: 'GET',
  path: '/api/macro/indicators',
  input: z.object({
    q: text(200, 'Name of one indicator, such as "core cpi" or DGS10.').optional(),
    category: z.enum(CATEGORIES).optional().meta({ description: 'Only this category.' }),
    frequency: z.enum(FREQUENCIES).optional().meta({ description: 'Only this frequency.' }),
    limit: wholeNumber(1, 100, 20, 'Maximum number of items.'),
  }),
  output: z.array(catalogueItem),
  example: { q: 'treasury yield', limit: 5 },
  async handler({ q, category, frequency, limit }, context) {
    const catalogue = listSeries(context.db);
    if (catalogue.length === 0) {
      throw serviceUnavailable(
        'The shelf contains no indicators. Run `quantshelf doctor` to see why.',
      );
    }
    const isAdmitted = (row: SeriesRow) =>
      (category === undefined || row.category === category) &&
      (frequency === undefined || row.frequency === frequency);
    const search =
      q === undefined
        ? { rows: catalogue, isPartial: false, nearest: [] }
        : searchCatalogue(catalogue, q);
    const matches = search.rows.filter(isAdmitted);
    const shown = matches.slice(0, limit);
    const [oldest] = shown.flatMap(({ taken }) => taken ?? []).sort();
    return {
      data: shortenItems(
        shown.map((row) => toItem(row, context.now())),
        context.replySize,
      ),
      meta: {
        ...withoutNulls({ asOf: oldest ?? summariseMacro(context.db).asOf }),
        ...noticeOf(describeSearch(shown, matches.length, { ...search, total: catalogue.length })),
      },
    };
  },
});

export const macroIndicatorHistory = defineOperation({
  name: 'macro_indicator_history',
  title: 'Read the history of a macro indicator',
  description:
    'Returns U.S. economic data over time, as on FRED: CPI and PCE inflation, GDP, payrolls, jobless claims, unemployment, yield curve, mortgage rate, dollar, oil. ' +
    'The newest values, or those from start_date to end_date, oldest first, in the latest vintage; more than 500 are thinned. ' +
    'Values known on a past day: resource quantshelf://macro/{indicator}/as-of/{date}; release days: quantshelf://macro/calendar. ' +
    'Ids come from macro_indicator_search. Show `attribution` with the data.',
  searchHint:
    'historical data, time series, inflation, CPI, PCE, GDP, jobs report, payrolls, jobless claims, unemployment rate, Treasury yields, yield curve, Fed funds rate, mortgage rate, housing, consumer sentiment, dollar index, oil price',
  area: 'macro',
  price: 1,
  method: 'GET',
  path: '/api/macro/historical',
  thins: true,
  fetches: true,
  view: 'histories and events',
  elsewhere: Object.fromEntries(
    'as_of asof as_of_date vintage vintage_date vintage_dates realtime_start realtime_end'
      .split(' ')
      .map((name) => [name, AS_OF]),
  ),
  input: z.object({
    indicator: text(100, 'Alias, such as us.cpi.core.').optional(),
    series_id: text(100, 'FRED id, such as DGS10.').optional(),
    start_date: calendarDay('First date, YYYY-MM-DD; needs end_date.').optional(),
    end_date: calendarDay('Last date, YYYY-MM-DD; needs start_date.').optional(),
    limit: wholeNumber(1, 500, RECENT, 'Number of newest observations; ignored with dates.'),
  }),
  output: history,
  example: { indicator: 'us.nonfarm_payrolls', limit: 12 },
  check({ indicator, series_id, start_date, end_date }) {
    if (indicator === undefined && series_id === undefined) {
      throw invalidRequest(
        'Name the series by "indicator" or "series_id"; macro_indicator_search lists both.',
        'indicator',
      );
    }
    windowOf(start_date, end_date);
  },
  async handler({ indicator, series_id, start_date, end_date, limit }, context) {
    const window = windowOf(start_date, end_date);
    const { seriesId } = resolveArguments(listSeries(context.db), indicator, series_id);
    const freshened = await context.freshenSeries(seriesId, context.signal);
    const { series, rows } = readHistory(context.db, seriesId, window ?? limit);
    const { taken } = series;
    if (taken === null || series.observationEnd === null) throw noFigures(series, freshened);
    const now = context.now();
    const isThinned = rows.length > context.replySize.observations;
    const shown = isThinned ? thin(rows) : rows;
    const thinned = { shown: shown.length, of: rows.length };
    return {
      data: {
        ...identify(series),
        observations: shown.map((row) => toObservation(series, row)),
        stale: isOpen(freshened) || isStale(series, now),
        ...describeNext(series, now),
        ...(hasEnded(series) ? { ended: true } : {}),
      },
      meta: {
        asOf: taken,
        ...(isThinned ? { thinned } : {}),
        ...noticeOf([
          ...(isThinned ? [describeThinned(series, rows, thinned)] : []),
          ...describeHistory(series, rows, { freshened, now }),
        ]),
      },
    };
  },
});

/** Undefined without dates; throws `invalid_request` for only one date or the wrong order. */
function windowOf(start: string | undefined, end: string | undefined) {
  if (start === undefined && end === undefined) return undefined;
  if (start === undefined || end === undefined) {
    const [present, missing] =
      start === undefined ? ['end_date', 'start_date'] : ['start_date', 'end_date'];
    throw invalidRequest(`"${present}" needs "${missing}": give both, or neither.`, missing);
  }
  if (start > end) throw invalidRequest('"start_date" must not be after "end_date".', 'start_date');
  return { start, end };
}

/** The series that the arguments name. Throws `not_found` for an unknown name, `invalid_request` for two series. */
function resolveArguments(
  catalogue: readonly SeriesNames[],
  indicator: string | undefined,
  seriesId: string | undefined,
): SeriesNames {
  const name = indicator ?? seriesId ?? '';
  const series = resolveSeries(catalogue, indicator ? 'indicator' : 'series_id', name);
  if (seriesId && resolveSeries(catalogue, 'series_id', seriesId) !== series) {
    throw invalidRequest(
      '"indicator" and "series_id" name two different series; give one of them.',
      'series_id',
    );
  }
  return series;
}
