import type { ExportTable, ExportValue } from '../../core/area.ts';
import { noticeOf } from '../../core/envelope.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Reader } from '../../core/reader.ts';
import { findCoverage, iterateKnown, type KnownWindow } from './as-of.ts';
import { resolveSeries } from './find.ts';
import { describeCoverage, describeEmpty } from './notices.ts';
import { listSeries, type SeriesRow } from './queries.ts';

export interface MacroExport extends KnownWindow {
  /** Aliases, series ids or titles, in output order; empty for all series with figures. */
  indicators: readonly string[];
  /** One column per indicator instead of one row per value. */
  wide?: boolean;
  /** For the notice, which says how to get missing figures. */
  isOffline?: boolean | undefined;
}

const LONG = ['date', 'indicator', 'value', 'realtime_start', 'realtime_end', 'exact', 'units'];

/**
 * Stored figures: the current ones, those known on a day, or all vintages. `realtime_start` and `realtime_end` are
 * `knownFrom` and `knownTo`, so a filter on the former admits no value too early. `units` are the value's own, or
 * null if they match the series. Throws `not_found` for an unknown name, and `invalid_request` for vintages in a
 * wide table.
 */
export function exportMacro(db: Reader, options: MacroExport): ExportTable {
  const { asOf, indicators } = options;
  if (options.wide && options.vintages) {
    throw invalidRequest('A wide table has one value per date: omit wide or vintages.');
  }
  const catalogue = listSeries(db);
  const named = new Set(indicators.map((name) => resolveSeries(catalogue, 'indicator', name)));
  const filled = catalogue.filter(({ observationEnd }) => observationEnd !== null);
  const series = named.size === 0 ? filled : [...named];
  const coverageOf = (asOf: string) =>
    series.map((each) => ({
      series: each,
      ...findCoverage(db, each.seriesId, { ...options, asOf }),
    }));
  return {
    columns: options.wide ? ['date', ...series.map(({ indicator }) => indicator)] : LONG,
    rows: options.wide ? wideRows(db, series, options) : longRows(db, series, options),
    ...noticeOf([
      describeEmpty(series, options.isOffline),
      ...(asOf === undefined ? [] : describeCoverage(coverageOf(asOf), { ...options, asOf })),
    ]),
  };
}

function* longRows(db: Reader, series: readonly SeriesRow[], window: KnownWindow) {
  for (const { seriesId, indicator } of series) {
    for (const row of iterateKnown(db, seriesId, window)) {
      const { date, value, knownFrom, knownTo, exact, units } = row;
      yield [date, indicator, value, knownFrom, knownTo, exact === 1, units];
    }
  }
}

function wideRows(db: Reader, series: readonly SeriesRow[], window: KnownWindow) {
  const rows = new Map<string, ExportValue[]>();
  for (const [column, { seriesId }] of series.entries()) {
    for (const { date, value } of iterateKnown(db, seriesId, window)) {
      const row = rows.get(date) ?? [date, ...series.map(() => null)];
      row[column + 1] = value;
      rows.set(date, row);
    }
  }
  return [...rows.keys()].sort().map((date) => rows.get(date) ?? []);
}
