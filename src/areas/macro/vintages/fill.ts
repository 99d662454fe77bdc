import { BadAnswer } from '../../../upstream/polite.ts';
import type { Vintage } from '../ingest.ts';
import {
  FIRST_DAY,
  FredRefusal,
  type FredSource,
  type ObservationPeriod,
  type SeriesDescription,
} from '../source.ts';
import { compareVintages, joinRuns, shiftDay } from './runs.ts';

/**
 * Indices whose every value changes with every release. All their vintages would be millions of
 * rows, so that the last two years of them have to do.
 */
export const WHOLE_HISTORY_REESTIMATED: ReadonlySet<string> = new Set(['NFCI', 'STLFSI4']);
const YEARS_OF_REESTIMATES = 2;

/** FRED gives at most so many vintages in one answer. */
const MOST_VINTAGES = 2_000;
/** Where there are more: leaves room for what is published while the blocks are read. */
const VINTAGES_PER_BLOCK = 1_900;

export interface FillOptions {
  /** What is already known from the list of updates; asked for with a first fill otherwise. */
  description?: SeriesDescription | undefined;
  signal?: AbortSignal | undefined;
  /** For tests: how many vintages are asked for at once, and in blocks. */
  mostVintages?: number;
  vintagesPerBlock?: number;
}

/** Vintages of a series that are the whole truth from `since` on. */
export interface Fill {
  seriesId: string;
  /** First day that the fill tells anew; null when it tells everything. */
  since: string | null;
  /** In the order of date and rtStart; from `since` on what was current then begins there. */
  vintages: Vintage[];
  /** The last day on which anything changed: where the next fill begins. */
  lastVintage: string;
  description: SeriesDescription | null;
  /** How many lists and descriptions were asked for; one of 100,000 rows or more takes several requests. */
  requests: number;
}

interface Block {
  rtStart: string;
  rtEnd?: string;
}

/**
 * All vintages of a series, or with `held` what has changed since the last vintage that is held.
 * Rejects like the source, and with a BadAnswer for a series without observations.
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
  if (found.vintages.length === 0) throw new BadAnswer('FRED sent a series without observations.');
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
    // What stood in the archive on its first day may have been published long before.
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

/** A first fill has nothing to be compared with but FRED's own description of the series. */
function expectWhole(
  rows: readonly ObservationPeriod[],
  { observationStart, observationEnd }: SeriesDescription,
): void {
  const begins = rows.some(({ date }) => date <= observationStart);
  const ends = rows.some(({ date }) => date >= observationEnd);
  if (!begins || !ends) throw new BadAnswer('FRED sent less of a series than it describes.');
}

interface Stretch {
  id: string;
  from: string;
  /** Days of change from `from` on, or null while they are not known. */
  days: readonly string[] | null;
}

/**
 * All rows from `from` on, in blocks where their vintages are too many for one answer. At the seam
 * of two blocks FRED clips the rows of both, so that every part abuts the one before.
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
      if (!(error instanceof FredRefusal) || error.code !== 'too_many_vintages') throw error;
    }
  }
  const known = days ?? (await source.listDays(id, from));
  const rows: ObservationPeriod[] = [];
  for (const block of cutIntoBlocks(known, from, vintagesPerBlock)) {
    for (const row of await source.listRows(id, block)) rows.push(row);
  }
  return rows.sort(compareVintages);
}

/** The newest block first, so that nothing that is published meanwhile falls between two. */
function cutIntoBlocks(days: readonly string[], from: string, size: number): Block[] {
  const blocks: Block[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const first = end > size ? (days[end - size] ?? from) : from;
    const next = days[end];
    blocks.push({ rtStart: first, ...(next === undefined ? {} : { rtEnd: shiftDay(next, -1) }) });
  }
  return blocks;
}

/** The days of change that are asked for. */
function recentDays(id: string, days: string[]): { days: string[]; isCut: boolean } {
  const last = days.at(-1);
  if (last === undefined || !WHOLE_HISTORY_REESTIMATED.has(id)) return { days, isCut: false };
  const year = Number(last.slice(0, 4)) - YEARS_OF_REESTIMATES;
  const cutoff = `${year}${last.slice(4)}`;
  const recent = days.filter((day) => day >= cutoff);
  return { days: recent, isCut: recent.length < days.length };
}

/** The last day on which a row began, or the first on which one was over. */
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
