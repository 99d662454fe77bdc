import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError } from '../../upstream/errors.ts';
import {
  FIRST_DAY,
  FredRequestError,
  type FredSource,
  type ObservationPeriod,
  type ObservationWindow,
  type SeriesDescription,
} from './fred.ts';
import type { Vintage } from './vintages.ts';
import { compareVintages, joinRuns } from './vintages.ts';

/**
 * Indices that re-estimate their whole history with each release. All vintages would be millions of
 * rows, so only the last two years of vintages are kept.
 */
const WHOLE_HISTORY_REESTIMATED: ReadonlySet<string> = new Set(['NFCI', 'STLFSI4']);
const YEARS_OF_REESTIMATES = 2;

/** FRED's limit on vintages in one response. */
const MOST_VINTAGES = 2_000;
/** Below the limit, to leave room for vintages published while the blocks are read. */
const VINTAGES_PER_BLOCK = 1_900;

export interface FillOptions {
  /** Known from the list of updates; otherwise a first fill and one on a new base request it. */
  description?: SeriesDescription | undefined;
  signal?: AbortSignal | undefined;
  /** Limits for tests: vintages in one request, and in a block. */
  mostVintages?: number;
  vintagesPerBlock?: number;
}

/** Vintages of a series, complete from `since` on. */
export interface Fill {
  seriesId: string;
  /** First real-time day that the fill covers; null when it covers all. */
  since: string | null;
  /** Sorted by date, then rtStart; values current on `since` begin there. */
  vintages: Vintage[];
  /** The latest vintage date: where the next fill begins. */
  lastVintage: string;
  description: SeriesDescription | null;
}

/**
 * Fetches all vintages of a series, or with `held` those since the last vintage held. Rejects like
 * the source, and with an InvalidResponseError for a series without observations.
 */
export async function fetchVintages(
  source: FredSource,
  seriesId: string,
  held: { lastVintage: string } | null,
  options: FillOptions = {},
): Promise<Fill> {
  const found = await (held === null
    ? fetchAll(source, seriesId, options)
    : fetchSince(source, seriesId, held.lastVintage, options));
  if (found.vintages.length === 0)
    throw new InvalidResponseError('FRED sent a series without observations.');
  return { seriesId, ...found };
}

type Found = Omit<Fill, 'seriesId'>;

async function fetchAll(source: FredSource, id: string, options: FillOptions): Promise<Found> {
  const description = options.description ?? (await source.describeSeries(id, options.signal));
  const { days, isCut } = recentDays(
    id,
    await source.listVintageDates(id, FIRST_DAY, options.signal),
  );
  const floor = days[0];
  const from = isCut && floor !== undefined ? floor : FIRST_DAY;
  const rows = await fetchRows(source, { id, from, days }, options);
  expectWhole(rows, description);
  const firstDay = floor ?? earliest(rows);
  return {
    since: null,
    // Values in the archive on its first day may have been published long before.
    vintages: joinRuns(
      rows.map((row) => {
        const isExact = row.rtStart > firstDay || row.date >= firstDay;
        return { ...row, exact: isExact ? 1 : 0 };
      }),
    ),
    lastVintage: latest(rows, days.at(-1) ?? firstDay),
    description,
  };
}

async function fetchSince(
  source: FredSource,
  id: string,
  since: string,
  options: FillOptions,
): Promise<Found> {
  const rows = await fetchRows(source, { id, from: since, days: null }, options);
  const vintages = joinRuns(rows.map((row) => ({ ...row, exact: 1 })));
  let { description = null } = options;
  if (description === null && isRewritten(vintages, since)) {
    description = await source.describeSeries(id, options.signal);
  }
  return { since, vintages, lastVintage: latest(rows, since), description };
}

/** Most values of `since` have ended, as on a new base, which has other units. */
function isRewritten(vintages: readonly Vintage[], since: string): boolean {
  const known = vintages.filter(({ rtStart }) => rtStart === since);
  return known.filter(({ rtEnd }) => rtEnd !== null).length * 2 > known.length;
}

/** Checks a first fill against FRED's own description of the series, the only thing to compare with. */
function expectWhole(
  rows: readonly ObservationPeriod[],
  { observationStart, observationEnd }: SeriesDescription,
): void {
  const begins = rows.some(({ date }) => date <= observationStart);
  const ends = rows.some(({ date }) => date >= observationEnd);
  if (!begins || !ends) throw new InvalidResponseError('FRED sent only part of a series.');
}

interface Stretch {
  id: string;
  from: string;
  /** Vintage dates from `from` on; null while unknown. */
  days: readonly string[] | null;
}

/**
 * Reads all rows from `from` on, in blocks where there are too many vintages for one response. FRED
 * clips rows at block boundaries, so the parts of a value abut and can be joined.
 */
async function fetchRows(
  source: FredSource,
  { id, from, days }: Stretch,
  { mostVintages = MOST_VINTAGES, vintagesPerBlock = VINTAGES_PER_BLOCK, signal }: FillOptions,
): Promise<ObservationPeriod[]> {
  if (days === null || days.length <= mostVintages) {
    try {
      return await source.listObservations(id, { rtStart: from }, signal);
    } catch (error) {
      if (!(error instanceof FredRequestError) || error.code !== 'too_many_vintages') throw error;
    }
  }
  const known = days ?? (await source.listVintageDates(id, from, signal));
  const rows: ObservationPeriod[] = [];
  for (const block of cutIntoBlocks(known, from, vintagesPerBlock)) {
    for (const row of await source.listObservations(id, block, signal)) rows.push(row);
  }
  return rows.sort(compareVintages);
}

/** Newest block first, so that no vintage published meanwhile falls between two blocks. */
function cutIntoBlocks(days: readonly string[], from: string, size: number): ObservationWindow[] {
  const blocks: ObservationWindow[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const first = end > size ? (days[end - size] ?? from) : from;
    const next = days[end];
    blocks.push({ rtStart: first, ...(next === undefined ? {} : { rtEnd: shiftDay(next, -1) }) });
  }
  return blocks;
}

/** The vintage dates to request. */
function recentDays(id: string, days: string[]): { days: string[]; isCut: boolean } {
  const last = days.at(-1);
  if (last === undefined || !WHOLE_HISTORY_REESTIMATED.has(id)) return { days, isCut: false };
  const year = Number(last.slice(0, 4)) - YEARS_OF_REESTIMATES;
  const cutoff = `${year}${last.slice(4)}`;
  const recent = days.filter((day) => day >= cutoff);
  return { days: recent, isCut: recent.length < days.length };
}

/** The latest vintage date in `rows`: a start, or the day after an end. */
function latest(rows: readonly ObservationPeriod[], known: string): string {
  let day = known;
  for (const { rtStart, rtEnd } of rows) {
    if (rtStart > day) day = rtStart;
    if (rtEnd !== null && rtEnd >= day) day = shiftDay(rtEnd, 1);
  }
  return day;
}

function earliest(rows: readonly ObservationPeriod[]): string {
  return rows.reduce((day, { rtStart }) => (rtStart < day ? rtStart : day), '9999-12-31');
}
