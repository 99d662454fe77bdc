import substitutes from '../../../data/macro-substitutes.json' with { type: 'json' };
import type { Freshened } from '../../core/context.ts';
import { type ServiceError, serviceUnavailable } from '../../core/errors.ts';
import { easternDay } from './agencies/calendar.ts';
import { AGENCIES, SYNCED_SERIES } from './agencies/feed.ts';
import { hasEnded } from './catalogue/age.ts';
import { CATEGORIES } from './catalogue/categories.ts';
import type { Found } from './catalogue/match.ts';
import type { ObservationRow, SeriesRow } from './queries.ts';
import { describeFigures } from './vintages/statistics.ts';

/** Above this many observations a reply outgrows what most hosts show of it. */
const LONG_HISTORY = 300;

/** Most indicators that a notice suggests. */
const MOST_NEAR = 6;

const SUBSTITUTES: ReadonlyMap<string, { indicators: readonly string[]; how: string }> = new Map(
  Object.entries(substitutes),
);

const FRED_NOTICE =
  'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.';

/** The source notice that clients must display with the figures. */
export function attributionOf(series: SeriesRow): string {
  const { origin, agency, source, taken } = series;
  const older =
    origin === 'fred' ? `${FRED_NOTICE} Source: ${source} via FRED.` : `Source: ${source}.`;
  if (agency === null || taken === null) return older;
  const { credit, terms } = AGENCIES[agency];
  const notice = `${credit}, accessed ${easternDay(new Date(taken))}${terms}`;
  return origin !== 'fred' && credit === source
    ? `Source: ${notice}`
    : `${older} Newest figures: ${notice}`;
}

/** Sentences for the notice of a catalogue search; empty strings where there is nothing to say. */
export function describeSearch(
  found: readonly SeriesRow[],
  matches: number,
  { rows, held, near, isAbsent, unmatched }: Found<SeriesRow> & { held: number },
): string[] {
  if (near.length > 0) {
    const names = near.slice(0, MOST_NEAR).map(({ indicator }) => indicator);
    return [
      isAbsent
        ? `This is not in the U.S. catalogue. Nearest to it: ${names.join(', ')}.`
        : `No U.S. indicator matches all of these words. Some of them name ${names.join(', ')}.`,
    ];
  }
  // Without words, all rows match.
  if (found.length === 0 && rows.length > 0 && rows.length < held) {
    const names = rows.slice(0, MOST_NEAR).map(({ indicator }) => indicator);
    return [`Some match the words, but not the category and frequency: ${names.join(', ')}.`];
  }
  if (found.length === 0) {
    return [
      `No indicator of the ${held} in the U.S. catalogue matches.`,
      `Call without arguments to list all, or with a category: ${CATEGORIES.join(', ')}.`,
    ];
  }
  return [
    unmatched.length > 0 ? `These match the other words, not "${unmatched.join(' ')}".` : '',
    matches > found.length
      ? `${found.length} of ${matches} indicators that match; raise limit to see all.`
      : '',
    found.some(isBundled) ? 'Bundled figures end at observation_end.' : '',
    found.some((series) => series.observationEnd === null)
      ? 'Items without observation_end hold no figures.'
      : '',
  ];
}

/** Leads the notice of a series that has ended. */
export function describeEnd({ observationEnd }: SeriesRow, now: Date): string {
  const age = now.getTime() - Date.parse(observationEnd ?? '');
  const years = Math.floor(age / (365.25 * 86_400_000));
  return `These figures ended on ${observationEnd}, ${years} ${years === 1 ? 'year' : 'years'} ago: not current data.`;
}

/** Sentences for the notice of a history; `taken` is the time its figures were fetched. */
export function describeHistory(
  series: SeriesRow & { taken: string; isAgeTold: boolean },
  rows: readonly ObservationRow[],
  freshened: Freshened,
): string[] {
  const { observationStart, observationEnd, frequency } = series;
  const day = series.taken.slice(0, 10);
  const isDaily = frequency === 'Daily' || frequency === 'Weekly';
  const dated = isDaily ? '' : ', and each period is dated by its first day';
  return [
    rows.length === 0
      ? `No observations in this window; the series runs from ${observationStart} to ${observationEnd}${dated}.`
      : '',
    series.isAgeTold ? '' : describeBundle(series),
    describeRefresh(series, day, freshened),
    rows.some((row) => row.exact === 0)
      ? 'Without `exact`, realtime_start is an estimate of the first release.'
      : '',
  ];
}

/** What to know of figures that are read as they are held, without a refresh. */
export function describeHeld(
  series: SeriesRow,
  values: readonly { exact: 0 | 1 }[],
  now: Date,
): string[] {
  const { taken } = series;
  if (taken === null || series.observationEnd === null) {
    return [
      'No observations are stored, and reading a resource fetches nothing: macro_indicator_history fetches them, where it can.',
    ];
  }
  return [
    hasEnded(series, now) ? describeEnd(series, now) : describeBundle({ ...series, taken }),
    series.stale === 1 ? `A due refresh failed: ${series.fault ?? ''}` : '',
    values.some(({ exact }) => exact === 0)
      ? 'Without `exact`, published is an estimate of the first release.'
      : '',
  ];
}

/** How old bundled figures are; leads the notice where that is long ago. */
export function describeBundle(series: SeriesRow & { taken: string }): string {
  return isBundled(series)
    ? `Bundled figures as of ${series.taken.slice(0, 10)}; they end at ${series.observationEnd}.`
    : '';
}

/** Nothing came since the package was made. */
export function isBundled({ origin, agency }: SeriesRow): boolean {
  return origin === 'starter' && agency === null;
}

/** The figures of a long history, of which a host may show a part only, and how to ask for less. */
export function describeLength(rows: readonly ObservationRow[], units: string): string[] {
  if (rows.length <= LONG_HISTORY) return [];
  const figures = describeFigures(rows, units) || 'none with a value';
  return [
    `${rows.length.toLocaleString('en-US')} observations: ${figures}.`,
    'Ask for less with a smaller limit or a shorter window.',
  ];
}

/** Tells that `limit` is ignored for a window that holds more. */
export function describeUnusedLimit(limit: number, held: number): string {
  // A long reply tells their number first.
  return held > limit && held <= LONG_HISTORY
    ? `limit is ignored with dates: these are all ${held.toLocaleString('en-US')} observations of the window.`
    : '';
}

/** Tells where the figures begin, for a window that begins long before. */
export function describeLateStart(
  asked: string | undefined,
  { observationStart }: SeriesRow,
  rows: readonly ObservationRow[],
): string {
  const begins = observationStart ?? '';
  return asked !== undefined && rows[0]?.date === begins && isFarAfter(begins, asked)
    ? `The figures held begin on ${begins}, after start_date.`
    : '';
}

/** More than a year, the longest period of one observation. */
function isFarAfter(day: string, other: string): boolean {
  return Date.parse(day) - Date.parse(other) > 366 * 86_400_000;
}

/** True when a due refresh failed or is unfinished; false where none is tried (offline, no key). */
export function isStale(series: SeriesRow, freshened: Freshened): boolean {
  return isOpen(freshened) || (freshened === 'settled' && series.stale === 1);
}

function isOpen(freshened: Freshened): boolean {
  return ['pending', 'timed_out', 'unreachable'].includes(freshened);
}

const HOW_TO_REFRESH: Readonly<Record<Freshened, string>> = {
  settled: '',
  pending: 'A refresh is in progress; call again in a moment.',
  timed_out: 'A refresh took longer than this call; call again.',
  unreachable: 'A refresh is due, but the source could not be reached; call again in a minute.',
  offline: 'QUANTSHELF_OFFLINE is set, so nothing newer is fetched.',
  no_key:
    'For current figures set FRED_API_KEY to your own key, free at https://fred.stlouisfed.org/docs/api/api_key.html.',
  bad_key:
    'FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits), so nothing newer is fetched.',
};

function describeRefresh(series: SeriesRow, day: string, freshened: Freshened): string {
  if (freshened === 'settled' && series.stale === 1) {
    return `A due refresh failed, so these are the figures of ${day}: ${series.fault ?? ''}`;
  }
  return howToRefresh(series, freshened);
}

function howToRefresh({ seriesId }: SeriesRow, freshened: Freshened): string {
  return freshened === 'no_key' && SYNCED_SERIES.has(seriesId)
    ? 'For current figures run `quantshelf sync macro`, or set FRED_API_KEY to your own key.'
    : HOW_TO_REFRESH[freshened];
}

/** Says that the words asked for are a category too: its indicators need not carry its name. */
export function describeCategory(q: string | undefined, category: string | undefined): string {
  const named = CATEGORIES.find((each) => each.toLowerCase() === q?.trim().toLowerCase());
  return named === undefined || category !== undefined
    ? ''
    : `"${named}" is also a category: pass it as category, without q, to list its indicators.`;
}

/** The error for a series of the catalogue without figures. */
export function holdsNothing(
  series: SeriesRow,
  freshened: Freshened,
  catalogue: readonly SeriesRow[],
): ServiceError {
  const name = `${series.indicator} (${series.seriesId}) holds no observations here`;
  const why = series.copyrightStatus.startsWith('Copyrighted')
    ? `its figures are copyrighted by ${series.source} and therefore not bundled`
    : 'its figures are not bundled';
  const how = howToRefresh(series, freshened);
  let told = `${name}: ${why}. ${how}`;
  if (isOpen(freshened)) told = `${name} yet. ${how}`;
  else if (freshened === 'settled' && series.fault !== null) {
    told = `${name}, and could not be fetched. ${series.fault}`;
  }
  return serviceUnavailable(`${told} ${describeSubstitute(series.seriesId, catalogue)}`);
}

/** A sentence that names the held series nearest to one without figures, or says that there is none. */
function describeSubstitute(
  seriesId: string,
  catalogue: readonly Pick<SeriesRow, 'indicator' | 'observationEnd'>[],
): string {
  const substitute = SUBSTITUTES.get(seriesId);
  const isHeld = (indicator: string) =>
    catalogue.some((row) => row.indicator === indicator && row.observationEnd !== null);
  return substitute?.indicators.every(isHeld) === true
    ? `Nearest held: ${substitute.how}.`
    : 'No series on the shelf is similar.';
}
