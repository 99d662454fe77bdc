import type { Database } from 'better-sqlite3';
import { isPossibleDate } from '../../core/gate.ts';
import { shiftDay } from '../../core/time.ts';
import type { Validators } from '../../upstream/connections.ts';
import { shiftPeriods } from './agencies/calendar.ts';
import {
  AGENCIES,
  type AgencySeries,
  type Feed,
  type Figure,
  type StoredFigures,
} from './agencies/feed.ts';
import { expectContinuation, isEqual, MismatchError, OTHER_BASE } from './continuation.ts';
import { findLastDate, listObservations, type SeriesRow } from './queries.ts';
import { estimatePublication, isFinal, lastBusinessDay, latestFirstRelease } from './releases.ts';
import { expectBelievable, firstDateOf, listCurrent, replaceVintages } from './series.ts';
import type { Vintage } from './vintages.ts';

/** Observations that tell a long series from one that has just begun. */
const RECENT = 100;

/** What the store has, for the requests of feeds; `saveVersions` stores the versions kept. */
export function storedFigures(db: Database): StoredFigures & { saveVersions(): void } {
  const kept = new Map<string, Validators>();
  return {
    versionOf: (url) =>
      db
        .prepare<object, Validators>(`
          SELECT etag, last_modified AS lastModified FROM agency_file WHERE url = @url`)
        .get({ url }),
    keepVersion: (url, version) => kept.set(url, version),
    saveVersions() {
      const save = db.prepare('INSERT OR REPLACE INTO agency_file VALUES (?, ?, ?)');
      for (const [url, { etag, lastModified }] of kept) save.run(url, etag, lastModified);
    },
    lastDate: (seriesId) => findLastDate(db, seriesId),
    since: (seriesId, from) =>
      new Map(listCurrent(db, seriesId, from).map(({ date, value }) => [date, value])),
  };
}

/** Figures of a series that a feed has brought on a day in New York. */
interface Delivery {
  feed: Feed;
  series: SeriesRow;
  sent: AgencySeries | undefined;
  today: string;
}

/**
 * Stores what is new in an agency's figures: new dates, and changed values, which end the older ones.
 * A missing value never replaces a figure. Returns whether anything changed. Throws a MismatchError,
 * without a change, for figures that do not continue those stored.
 */
export function storeAgencySeries(db: Database, { feed, series, sent, today }: Delivery): boolean {
  const { seriesId, frequency, units, lastVintage, fredEnd } = series;
  if (sent === undefined) throw new MismatchError('it sent no figures');
  if (sent.units !== undefined && sent.units !== units) throw new MismatchError(OTHER_BASE);
  const first = [firstDateOf(series) ?? '', sent.from].sort()[1] ?? '';
  const possible = sent.figures.filter(
    ({ date, value }) =>
      isPossibleDate(date, { first, today }) &&
      // Digits without end make an infinite number, which is no figure.
      (value === null || Number.isFinite(value)),
  );
  const figures = fillGaps(frequency, possible);
  const rows = listCurrent(db, seriesId, sent.from);
  expectContinuation(figures, {
    values: new Map(rows.map(({ date, value }) => [date, value])),
    total: listObservations(db, seriesId, RECENT).filter(({ value }) => value !== null).length,
    isRevised: AGENCIES[feed.agency].revises,
    isRate: units.startsWith('Percent'),
  });
  expectBelievable(db, seriesId, figures, rows);
  const stored = new Map(rows.map((row) => [row.date, row]));
  const context: Context = {
    released: { seriesId, frequency, feed },
    today,
    // Nothing in a file came out later than the file.
    until: figures.at(-1)?.released ?? today,
    floor: lastVintage ?? '',
    fredEnd,
  };
  const news = figures.filter(({ date, value }) => {
    const before = stored.get(date);
    return before === undefined || isNews(before.value, value);
  });
  const isChanged = replaceVintages(
    db,
    seriesId,
    news.flatMap(({ date }) => stored.get(date) ?? []),
    news.flatMap((figure) => followUp(figure, stored.get(figure.date), context)),
  );
  db.prepare(`
    UPDATE macro_series SET
      -- What it only confirms of FRED's stays FRED's.
      agency = iif(@isChanged OR last_vintage IS NULL, @agency, agency),
      last_updated = iif(@isChanged, @today, last_updated)
    WHERE series_id = @seriesId`).run({
    ...{ seriesId, agency: feed.agency, today, isChanged: Number(isChanged) },
  });
  return isChanged;
}

/** A month, quarter or year without a figure between two others is missing: null, as FRED has it. */
function fillGaps(frequency: string, figures: readonly Figure[]): Figure[] {
  return figures.flatMap((figure, index) => {
    const missing: Figure[] = [];
    const next = figures[index + 1]?.date ?? '';
    let date = shiftPeriods(frequency, figure.date, 1);
    for (; date !== undefined && date < next; date = shiftPeriods(frequency, date, 1)) {
      missing.push({ date, value: null });
    }
    return [figure, ...missing];
  });
}

/** A missing value in the place of a figure is none. */
function isNews(before: number | null, value: number | null): boolean {
  return value !== null && (before === null || !isEqual(before, value));
}

interface Context {
  released: Parameters<typeof estimatePublication>[0];
  today: string;
  until: string;
  /** FRED's last vintage; empty where none is stored. */
  floor: string;
  /** The last date that FRED has given; empty where there is none. */
  fredEnd: string;
}

/** A figure as the current vintage, after the one that it ends. */
function followUp(figure: Figure, before: Vintage | undefined, context: Context): Vintage[] {
  const { date, value } = figure;
  const published = publicationOf(figure, before, context);
  const current = { date, value, ...published, rtEnd: null };
  if (before === undefined || before.rtStart >= published.rtStart) return [current];
  return [{ ...before, rtEnd: shiftDay(published.rtStart, -1) }, current];
}

/**
 * The agency's own day where that of a first release is given; it comes after what it follows, and not
 * before FRED's last vintage, so that FRED's next one replaces it. A first value may have been revised
 * before it was seen.
 */
function publicationOf(
  { date, released }: Figure,
  before: Vintage | undefined,
  { released: series, today, until, floor, fredEnd }: Context,
): Pick<Vintage, 'rtStart' | 'exact' | 'knownFrom'> {
  const seen = lastBusinessDay(today);
  const isFirst = before === undefined;
  const estimated = isFirst ? estimatePublication(series, date, until) : (released ?? seen);
  const isOfRelease = released !== undefined && released <= latestFirstRelease(series, date);
  const day = earlierOf(isOfRelease ? released : estimated, today);
  if (day >= floor && day > (before?.knownFrom ?? '')) {
    // A revision of FRED's figure is never exact, which tells it from those of FRED.
    const exact = isOfRelease && released === day && (isFirst || floor === '') ? 1 : 0;
    const isSure = !isFirst || exact === 1 || isFinal(series.seriesId);
    return { rtStart: day, exact, knownFrom: isSure ? day : earlierOf(released ?? seen, today) };
  }
  const rtStart = seen > floor ? seen : floor;
  if (before?.rtStart === rtStart && before.exact === 1 && date <= fredEnd) {
    // FRED's own value keeps its day.
    const dayAfter = shiftDay(rtStart, 1);
    return { rtStart: dayAfter, exact: 0, knownFrom: dayAfter };
  }
  // A second change on the same day replaces the first.
  return before !== undefined && before.rtStart >= rtStart
    ? { rtStart: before.rtStart, exact: before.exact, knownFrom: before.knownFrom }
    : { rtStart, exact: 0, knownFrom: rtStart };
}

function earlierOf(a: string, b: string): string {
  return a < b ? a : b;
}
