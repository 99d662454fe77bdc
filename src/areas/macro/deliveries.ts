import type { Database } from 'better-sqlite3';
import { isPossibleDate } from '../../core/gate.ts';
import { shiftDay } from '../../core/time.ts';
import { write } from '../../store/connection.ts';
import type { Validators } from '../../upstream/connections.ts';
import { AGENCIES } from './facts/agencies.ts';
import {
  expectContinuation,
  isEqual,
  MismatchError,
  OTHER_BASE,
  pairWithSent,
} from './facts/continuation.ts';
import { scaleOf } from './facts/plausibility.ts';
import {
  estimatePublication,
  isNeverRevised,
  lastBusinessDay,
  latestFirstRelease,
  type Released,
} from './facts/releases.ts';
import type { Vintage } from './facts/vintages.ts';
import { findLastDate, findSeries, listCurrent, type SeriesRow } from './queries.ts';
import { changeUnits, expectBelievable, firstDateOf, replaceVintages } from './series.ts';
import type { AgencySeries, Feed, Figure, StoredFigures } from './sources/feed.ts';

const INCOMPLETE =
  'it does not send all the figures that FRED provided, so the stored ones stay unchanged; set FRED_API_KEY to refresh them from FRED';

/** Counting the stored values may stop here: a comparison needs far fewer. */
const MAX_COUNTED = 100;

/** Gives feeds access to stored figures; `saveVersions` stores the kept file versions. */
export function storedFigures(db: Database, now: Date): StoredFigures & { saveVersions(): void } {
  const kept = new Map<string, Validators>();
  return {
    versionOf(url) {
      const version = db
        .prepare<object, Validators>(`
          SELECT etag, last_modified AS lastModified FROM agency_file WHERE url = @url`)
        .get({ url });
      // A future date was written by a fast server clock; newer files would seem older until then.
      const isAhead = Date.parse(version?.lastModified ?? '') > now.getTime();
      return isAhead ? undefined : version;
    },
    keepVersion: (url, version) => kept.set(url, version),
    saveVersions() {
      const save = db.prepare(
        'INSERT OR REPLACE INTO agency_file (url, etag, last_modified) VALUES (?, ?, ?)',
      );
      write(db, () => {
        for (const [url, { etag, lastModified }] of kept) save.run(url, etag, lastModified);
      });
    },
    lastDate(seriesId) {
      const series = findSeries(db, seriesId);
      return isFromFred(series) ? (series?.ownUntil ?? null) : findLastDate(db, seriesId);
    },
    since: (seriesId, from) =>
      new Map(listCurrent(db, seriesId, { start: from }).map(({ date, value }) => [date, value])),
  };
}

/** A feed's figures for one series. */
interface Delivery {
  feed: Feed;
  series: SeriesRow;
  /** Undefined if the feed left the series out. */
  sent: AgencySeries | undefined;
  /** Today in New York, YYYY-MM-DD. */
  today: string;
}

function isFromFred(series: SeriesRow | undefined): boolean {
  return (series?.lastVintage ?? null) !== null;
}

/**
 * Stores an agency's new and changed figures, or all of them after a change of base. A changed
 * figure supersedes the stored one; a missing value never does. The agency becomes the source of
 * the series. Returns whether anything changed. Throws a MismatchError if the figures do not continue
 * the stored ones or lack some that FRED provided.
 */
export function storeAgencySeries(db: Database, delivery: Delivery): boolean {
  const { feed, today } = delivery;
  const { seriesId, frequency } = delivery.series;
  const { figures, rows, isRebased } = checkDelivery(db, delivery);
  const stored = new Map(rows.map((row) => [row.date, row]));
  // No figure can have been published after its file.
  const until = earlierOf(figures.at(-1)?.released ?? today, today);
  // All rebased values get the same publication day, so no as-of table mixes two bases.
  const isLater = rows.every(({ knownFrom }) => knownFrom < until);
  const rebased = isRebased ? (isLater ? until : lastBusinessDay(today)) : null;
  const dating = { series: { seriesId, frequency, feed }, today, until, rebased };
  const news = figures.filter(({ date, value }) => {
    const before = stored.get(date);
    if (before === undefined || isRebased) return true;
    return value !== null && !isEqual(value, before.value ?? Number.NaN);
  });
  const isChanged = replaceVintages(
    db,
    seriesId,
    news.flatMap(({ date }) => stored.get(date) ?? []),
    news.flatMap((figure) => followUp(figure, stored.get(figure.date), dating)),
  );
  const row = { seriesId, agency: feed.agency, today, isChanged: Number(isChanged) };
  db.prepare(`
    UPDATE macro_series SET agency = @agency, origin = iif(last_vintage IS NULL, origin, 'starter'),
      last_vintage = NULL, last_updated = iif(@isChanged, @today, last_updated)
    WHERE series_id = @seriesId`).run(row);
  return isChanged;
}

/** Checks a delivery; after a change of base, sets the new units. Returns the valid figures and the stored ones. */
function checkDelivery(db: Database, { feed, series, sent, today }: Delivery) {
  const { seriesId, units, ownUntil } = series;
  if (sent === undefined) throw new MismatchError('it sent no figures for this series');
  const first = firstDateOf(series);
  const figures = sent.figures.filter(
    ({ date, value }) =>
      isPossibleDate(date, { first, today }) &&
      // A number with too many digits parses as infinity.
      (value === null || Number.isFinite(value)),
  );
  if (isFromFred(series)) {
    const start = ownUntil === null ? '' : shiftDay(ownUntil, 1);
    expectAll(figures, listCurrent(db, seriesId, { start }), INCOMPLETE);
  }
  const { units: newUnits = units } = sent;
  const isRebased = newUnits !== units;
  if (isRebased) changeUnits(db, series, newUnits);
  const rows = listCurrent(db, seriesId, { start: isRebased ? '' : (figures[0]?.date ?? '') });
  if (isRebased) {
    expectAll(figures, rows, OTHER_BASE);
  } else {
    expectContinuation(figures, {
      stored: rows,
      total: listCurrent(db, seriesId, MAX_COUNTED).filter(({ value }) => value !== null).length,
      isRevised: AGENCIES[feed.agency].revises,
      isRate: units.startsWith('Percent'),
      isSameUnit: sent.units !== undefined,
    });
  }
  const scale = isRebased ? scaleOf(pairWithSent(rows, figures)) : 1;
  expectBelievable(db, seriesId, figures, rows, scale);
  return { figures, rows, isRebased };
}

/** Throws a MismatchError with `message` if a stored figure was not sent. */
function expectAll(figures: readonly Figure[], stored: readonly Vintage[], message: string): void {
  const sent = new Set(figures.flatMap(({ date, value }) => (value === null ? [] : date)));
  if (!stored.every(({ date, value }) => value === null || sent.has(date))) {
    throw new MismatchError(message);
  }
}

/** What determines the publication day of a figure. */
interface Dating {
  series: Released;
  today: string;
  /** The latest possible publication day: that of the file, else today. */
  until: string;
  /** Day on which all figures were rebased; null if they were not. */
  rebased: string | null;
}

/** The vintage that a figure supersedes, if any, followed by the figure as the current one. */
function followUp(figure: Figure, before: Vintage | undefined, dating: Dating): Vintage[] {
  const { date, value } = figure;
  const published = publicationOf(figure, before, dating);
  const current = { date, value, ...published, rtEnd: null };
  if (before === undefined || before.rtStart >= published.rtStart) return [current];
  return [{ ...before, rtEnd: shiftDay(published.rtStart, -1) }, current];
}

/**
 * When a figure was published: on the agency's own day if a first release can be that late; otherwise
 * a first figure gets an estimated day, and a revision the day of its file or visit. No revision
 * is dated before the superseded value was known. Unless its series is never revised, a first figure
 * with an estimated day may be a revision, so it is certain only from the day of its file or visit.
 */
function publicationOf(
  { date, released }: Figure,
  before: Vintage | undefined,
  { series, today, until, rebased }: Dating,
): Pick<Vintage, 'rtStart' | 'exact' | 'knownFrom'> {
  if (rebased !== null) return { rtStart: rebased, exact: 0, knownFrom: rebased };
  const seen = lastBusinessDay(today);
  const isFirst = before === undefined;
  const estimated = isFirst ? estimatePublication(series, date, until) : (released ?? seen);
  const isOfRelease = released !== undefined && released <= latestFirstRelease(series, date);
  const day = earlierOf(isOfRelease ? released : estimated, today);
  if (day > (before?.knownFrom ?? '')) {
    const exact = isOfRelease && released === day ? 1 : 0;
    const isSure = !isFirst || exact === 1 || isNeverRevised(series.seriesId);
    return { rtStart: day, exact, knownFrom: isSure ? day : earlierOf(released ?? seen, today) };
  }
  // A second change on the same day replaces the first.
  return before !== undefined && before.rtStart >= seen
    ? { rtStart: before.rtStart, exact: before.exact, knownFrom: before.knownFrom }
    : { rtStart: seen, exact: 0, knownFrom: seen };
}

function earlierOf(a: string, b: string): string {
  return a < b ? a : b;
}
