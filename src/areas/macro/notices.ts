import { type Freshened, NOT_FETCHED, onceOnline } from '../../core/context.ts';
import { type ServiceError, serviceUnavailable } from '../../core/errors.ts';
import type { Coverage } from './as-of.ts';
import { FRED_KEY_PAGE, MALFORMED_KEY, SYNCED_SERIES } from './facts/agencies.ts';
import { INDICATOR_OF } from './facts/indicators.ts';
import { hasCome, hasEnded, hasReleasedBetween, isOverdue } from './facts/releases.ts';
import { CATEGORIES, type CatalogueMatches } from './find.ts';
import type { Observation, SeriesRow } from './queries.ts';
import { describeSign } from './thinning.ts';

/** Maximum number of indicators named in a sentence. */
const MAX_NAMES = 6;

/**
 * Describes the result of a catalogue search that found `matches` indicators and returns `shown`;
 * `rows` match the query's words in any category and frequency.
 */
export function describeSearch(
  shown: readonly SeriesRow[],
  matches: number,
  { rows, isPartial, nearest, total }: CatalogueMatches<SeriesRow> & { total: number },
): string[] {
  if (shown.length === 0) {
    const others = (rows.length > 0 ? rows : nearest).slice(0, MAX_NAMES);
    const listed = others.map(({ indicator }) => indicator).join(', ');
    if (rows.length > 0) {
      return [`No matching indicator passes the filters; without them: ${listed}.`];
    }
    const near = listed === '' ? '' : `; nearest: ${listed}`;
    return [
      `None of the ${total} U.S. indicators matches${near}.`,
      `The categories are ${CATEGORIES.join(', ')}.`,
    ];
  }
  return [
    isPartial
      ? 'No U.S. indicator matches every word of the query; those listed match at least half.'
      : '',
    matches > shown.length
      ? `${shown.length} of ${matches} matching indicators; raise limit to see all.`
      : '',
    shown.some(isBundled)
      ? 'Some of these series have only the figures bundled with QuantShelf, up to observation_end.'
      : '',
  ];
}

/** Says where the figures end if the series has stopped, or if they are bundled or overdue. */
function describeCurrency(
  series: SeriesRow,
  values: readonly { exact: 0 | 1 }[],
  now: Date,
): string {
  const { observationEnd: end, taken } = series;
  if (hasEnded(series)) return `This series ended on ${end}; its figures are not current.`;
  if (isBundled(series)) {
    const estimates = values.some(({ exact }) => exact === 0)
      ? ' (publication days without `exact` are estimates)'
      : '';
    return `Bundled figures as of ${taken?.slice(0, 10)}${estimates}; the newest figure is for ${end}.`;
  }
  return isOverdue(series, now) ? `The newest figure is for ${end}; newer ones are overdue.` : '';
}

/** Explains how a history was thinned, and where to read all of it. */
export function describeThinned(
  { indicator }: SeriesRow,
  rows: readonly Observation[],
  { shown, of }: { shown: number; of: number },
): string {
  const window = `${rows[0]?.date}/${rows.at(-1)?.date}`;
  return (
    `${shown} of ${of.toLocaleString('en-US')} observations, chosen to preserve the shape, with the first, last, lowest and highest; ` +
    `for every value, request at most 500 at a time, or read quantshelf://macro/${indicator}/history/${window}.`
  );
}

/** Sentences for the notice of a history; some may be empty. */
export function describeHistory(
  series: SeriesRow,
  rows: readonly Observation[],
  { freshened, now }: { freshened: Freshened; now: Date },
): string[] {
  const { observationStart, observationEnd, frequency } = series;
  const isDaily = frequency === 'Daily' || frequency === 'Weekly';
  const dated = isDaily ? '' : ', and each period is dated by its first day';
  return [
    rows.length === 0
      ? `No observations between these dates; the series runs from ${observationStart} to ${observationEnd}${dated}.`
      : '',
    describeCurrency(series, rows, now),
    describeSign(rows),
    rows[0]?.date === observationStart ? describeBegin(series) : '',
    isOpen(freshened) ? '' : describeFailure(series),
    howToRefresh(series, freshened),
  ];
}

/** Says where a series begins if the stored figures begin later. */
function describeBegin({ seriesId, observationStart: first }: SeriesRow): string {
  const begin = INDICATOR_OF.get(seriesId)?.begins;
  return begin !== undefined && first !== null && begin < first
    ? `The figures here begin on ${first}; the series itself begins on ${begin}.`
    : '';
}

/** Says why the last due refresh failed; empty if it did not. */
function describeFailure({ stale, fault }: SeriesRow): string {
  const failed = 'A due refresh failed';
  return stale === 1 ? (fault === null ? `${failed}.` : `${failed}: ${fault}`) : '';
}

/** Sentences about figures read without a refresh. */
export function describeStored(
  series: SeriesRow,
  values: readonly { exact: 0 | 1 }[],
  { now, isOffline }: { now: Date; isOffline?: boolean | undefined },
): string[] {
  if (series.observationEnd === null) return explainEmpty(series, isOffline);
  return [describeCurrency(series, values, now), describeFailure(series)];
}

/** Says in two sentences why a series has no figures and how to get them. */
export function explainEmpty(
  series: SeriesRow,
  isOffline?: boolean,
  remedy = `${onceOnline(isOffline)}${remedyFor(series)}.`,
): string[] {
  const { indicator, source, copyrightStatus } = series;
  const reason = copyrightStatus.startsWith('Copyrighted')
    ? `copyrighted by ${source} and therefore not bundled`
    : 'not bundled';
  return [`No figures for ${indicator} are stored, because they are ${reason}.`, remedy];
}

function remedyFor({ seriesId }: SeriesRow): string {
  return SYNCED_SERIES.has(seriesId)
    ? '`quantshelf sync macro` fetches them'
    : `macro_indicator_history fetches them with your own FRED_API_KEY, free at ${FRED_KEY_PAGE}`;
}

/** Names the series without figures and says how to get them. */
export function describeEmpty(all: readonly SeriesRow[], isOffline?: boolean): string {
  const empty = all.filter(({ observationEnd }) => observationEnd === null);
  const [first, ...others] = empty;
  if (first === undefined) return '';
  if (others.length === 0) return explainEmpty(first, isOffline).join(' ');
  const rows = empty.map((series) => ({ series }));
  const remedies = [...new Set(empty.map(remedyFor))].join(', or ');
  const names = nameSeries('No figures are stored for', rows, () => true);
  return `${names} ${onceOnline(isOffline)}${remedies}.`;
}

/** Says which figures known on a past day are not stored, and which are in different units from today's. */
export function describeCoverage(
  coverage: readonly (Coverage & { series: SeriesRow })[],
  { asOf, strict }: { asOf: string; strict?: boolean },
): string[] {
  return [
    nameSeries(
      'No publication day was observed for',
      coverage,
      ({ series, first }) => series.observationEnd !== null && first === null,
    ),
    nameSeries(
      `No ${strict ? 'exact ' : ''}values known on ${asOf} are stored for`,
      coverage,
      ({ first }) => first !== null && first > asOf && `stored from ${first} on`,
    ),
    nameSeries(
      `Values as of ${asOf} are not stored for some periods of`,
      coverage,
      ({ first, missingFrom: from, missingTo: to }) =>
        first !== null &&
        first <= asOf &&
        from !== null &&
        (from === to ? from : `${from} to ${to}`),
    ),
    nameSeries(
      'Releases between two stored vintages, which may have revised values, may be missing for',
      coverage,
      ({ series, before, after }) =>
        before !== null &&
        after !== null &&
        hasReleasedBetween(series, before, asOf) &&
        `${before} to ${after}`,
    ),
    nameSeries(
      "The values of that day are in different units from today's:",
      coverage,
      ({ units }) => units ?? false,
    ),
    nameSeries(
      'Releases after the last refresh are missing for',
      coverage,
      ({ series, series: { taken } }) => {
        const day = taken?.slice(0, 10);
        return day !== undefined && hasReleasedBetween(series, day, asOf) && day;
      },
    ),
  ];
}

/** Lists the series for which `detailOf` returns true or a detail. */
function nameSeries<T extends { series: SeriesRow }>(
  what: string,
  rows: readonly T[],
  detailOf: (row: T) => string | boolean,
): string {
  const names = rows.flatMap((row) => {
    const [name, detail] = [row.series.indicator, detailOf(row)];
    if (detail === false) return [];
    return [detail === true ? name : `${name} (${detail})`];
  });
  const more = names.length - MAX_NAMES;
  const listed = names.slice(0, MAX_NAMES).join(', ');
  return names.length === 0 ? '' : `${what} ${listed}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Whether all figures are bundled. */
export function isBundled({ origin, agency }: SeriesRow): boolean {
  return origin === 'starter' && agency === null;
}

/** Whether there are figures and a due refresh failed, or was not attempted although newer ones should be out. */
export function isStale(series: SeriesRow, now: Date): boolean {
  if (series.observationEnd === null) return false;
  if (series.stale === 1) return true;
  return hasCome(series.nextDue, now) && isOverdue(series, now) && !hasEnded(series);
}

/** Whether a refresh is due but has not finished. */
export function isOpen(freshened: Freshened): boolean {
  return ['pending', 'timed_out', 'unreachable'].includes(freshened);
}

const HOW_TO_REFRESH: Readonly<Record<Freshened, string>> = {
  settled: '',
  pending: 'A refresh is in progress; call again in a moment.',
  timed_out: 'A refresh took longer than this call; call again.',
  unreachable: 'A refresh is due, but the source could not be reached; call again in a minute.',
  ...NOT_FETCHED,
  no_key: `For current figures, set FRED_API_KEY to your own key, free at ${FRED_KEY_PAGE}.`,
  bad_key: `${MALFORMED_KEY}, so nothing newer is fetched.`,
};

function howToRefresh({ seriesId }: SeriesRow, freshened: Freshened): string {
  return freshened === 'no_key' && SYNCED_SERIES.has(seriesId)
    ? 'For current figures, run `quantshelf sync macro`, or set FRED_API_KEY to your own key.'
    : HOW_TO_REFRESH[freshened];
}

/** The error for a catalogue series without figures. */
export function noFigures(series: SeriesRow, freshened: Freshened): ServiceError {
  const { indicator, fault } = series;
  if (freshened === 'offline') return serviceUnavailable(explainEmpty(series, true).join(' '));
  const remedy = howToRefresh(series, freshened);
  if (isOpen(freshened)) {
    return serviceUnavailable(`No figures for ${indicator} are stored yet. ${remedy}`);
  }
  return serviceUnavailable(
    freshened === 'settled' && fault !== null
      ? `No figures for ${indicator} are stored, and a refresh failed. ${fault}`
      : explainEmpty(series, false, remedy).join(' ').trim(),
  );
}
