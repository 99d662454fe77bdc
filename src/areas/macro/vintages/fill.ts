import { InvalidResponseError } from '../../../upstream/errors.ts';
import {
  FIRST_DAY,
  FredRequestError,
  type FredSource,
  type ObservationPeriod,
  type SeriesDescription,
} from '../source.ts';
import type { Vintage } from './row-ingest.ts';
import { compareVintages, joinRuns, shiftDay } from './runs.ts';

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
  /** Known from the list of updates; otherwise a first fill requests it. */
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
  /** Number of lists and descriptions requested; a list of 100,000 rows or more takes several HTTP requests. */
  requests: number;
}

interface Block {
  rtStart: string;
  rtEnd?: string;
}

/**
 * Fetches all vintages of a series, or with `held` those since the last vintage held. Rejects like
 * the source, and with a InvalidResponseError for a series without observations.
 */
export async function fetchVintages(
  source: FredSource,
  seriesId: string,
  held: { lastVintage: string } | null,
  options: FillOptions = {},
): Promise<Fill> {
  const counted = countRequests(source, options.signal);
  const found = await (held === null
    ? fetchAll(counted, seriesId, options)
    : fetchSince(counted, seriesId, held.lastVintage, options));
  if (found.vintages.length === 0)
    throw new InvalidResponseError('FRED sent a series without observations.');
  return { seriesId, ...found, requests: counted.requests };
}

type Found = Omit<Fill, 'seriesId' | 'requests'>;

async function fetchAll(source: Counted, id: string, options: FillOptions): Promise<Found> {
  const description = options.description ?? (await source.describe(id));
  const { days, isCut } = recentDays(id, await source.listDays(id, FIRST_DAY));
  const floor = days[0];
  const from = isCut && floor !== undefined ? floor : FIRST_DAY;
  const rows = await fetchRows(source, { id, from, days }, options);
  expectWhole(rows, description);
  const firstDay = floor ?? earliest(rows);
  return {
    since: null,
    // Values in the archive on its first day may have been published long before.
    vintages: joinRuns(
      rows.map((row) => ({ ...row, exact: row.rtStart > firstDay || row.date >= firstDay })),
    ),
    lastVintage: latest(rows, days.at(-1) ?? firstDay),
    description,
  };
}

async function fetchSince(
  source: Counted,
  id: string,
  since: string,
  options: FillOptions,
): Promise<Found> {
  const rows = await fetchRows(source, { id, from: since, days: null }, options);
  return {
    since,
    vintages: joinRuns(rows.map((row) => ({ ...row, exact: true }))),
    lastVintage: latest(rows, since),
    description: options.description ?? null,
  };
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
  source: Counted,
  { id, from, days }: Stretch,
  { mostVintages = MOST_VINTAGES, vintagesPerBlock = VINTAGES_PER_BLOCK }: FillOptions,
): Promise<ObservationPeriod[]> {
  if (days === null || days.length <= mostVintages) {
    try {
      return await source.listRows(id, { rtStart: from });
    } catch (error) {
      if (!(error instanceof FredRequestError) || error.code !== 'too_many_vintages') throw error;
    }
  }
  const known = days ?? (await source.listDays(id, from));
  const rows: ObservationPeriod[] = [];
  for (const block of cutIntoBlocks(known, from, vintagesPerBlock)) {
    for (const row of await source.listRows(id, block)) rows.push(row);
  }
  return rows.sort(compareVintages);
}

/** Newest block first, so that no vintage published meanwhile falls between two blocks. */
function cutIntoBlocks(days: readonly string[], from: string, size: number): Block[] {
  const blocks: Block[] = [];
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

interface Counted {
  requests: number;
  describe(id: string): Promise<SeriesDescription>;
  listDays(id: string, since: string): Promise<string[]>;
  listRows(id: string, block: Block): Promise<ObservationPeriod[]>;
}

function countRequests(source: FredSource, signal: AbortSignal | undefined): Counted {
  const counted: Counted = {
    requests: 0,
    describe(id) {
      counted.requests += 1;
      return source.describeSeries(id, signal);
    },
    listDays(id, since) {
      counted.requests += 1;
      return source.listVintageDates(id, since, signal);
    },
    listRows(id, block) {
      counted.requests += 1;
      return source.listObservations(id, block, signal);
    },
  };
  return counted;
}
