import type { Database } from 'better-sqlite3';
import type { SyncTools } from '../../core/area.ts';
import { checkpointOf, isPossibleDate, losesTooMany } from '../../core/gate.ts';
import { countOf } from '../../core/text.ts';
import { pause, shiftDay, toDay } from '../../core/time.ts';
import { isStoreFault, write } from '../../store/connection.ts';
import { InvalidResponseError, isKnownUnreachable, isRateLimit } from '../../upstream/failures.ts';
import { cardIdOf, sourceIdOf } from './arxiv/ids.ts';
import {
  type ArxivRecord,
  type RecordPage,
  type SkippedRecord,
  TokenExpired,
} from './arxiv/oai.ts';
import { type Change, storeHistory, upsertRecord } from './ingest.ts';
import { findHarvest, findPaperByCardId, summarisePapers } from './queries.ts';
import type { ArxivSource, ListFormat } from './source.ts';
import { isGone } from './withdrawals.ts';

/** Number of consecutive failed requests after which a run gives up. */
const MAX_FAILURES = 3;
/** The first harvest goes back this many days. */
const FIRST_DAYS = 365;
/** Records per transaction, and the pause afterwards in which other processes can write. */
const SLICE = 25;
const SLICE_PAUSE_MS = 5;

export interface HarvestOptions
  extends Pick<SyncTools, 'db' | 'now' | 'signal' | 'log' | 'startProgress'> {
  source: ArxivSource;
  /** Describes a failure of arXiv that will be retried. */
  describeFault(error: unknown): string;
  /** OAI-PMH set, such as `q-fin` or `q-fin:q-fin:PM`. */
  set: string;
  /** `arXivRaw` lists the versions of stored papers; harvest it after `arXiv`, the default. */
  format?: ListFormat;
  /** First day to harvest, YYYY-MM-DD; for the default, see `startRun`. */
  since: string | undefined;
  /** Maximum number of records to store; unchanged ones do not count. */
  limit: number | undefined;
}

export interface HarvestSummary extends Record<Change, number> {
  /** Number of unusable records; their papers stay unchanged on the shelf. */
  skipped: number;
  /** Whether the run reached the end of the list. */
  finished: boolean;
}

export const emptySummary = (): HarvestSummary => ({
  added: 0,
  changed: 0,
  unchanged: 0,
  withdrawn: 0,
  skipped: 0,
  finished: false,
});

/** Progress of a harvest run, stored after every page. Days are YYYY-MM-DD. */
interface Run {
  from: string;
  /** Resumption token of the next page; null at the start. */
  token: string | null;
  /** Day of the first response, by arXiv's or our clock, whichever is earlier. */
  responded: string | null;
  records: number;
}

/**
 * Stores a set's records page by page and adds their counts to `total`. The next call resumes after
 * the last complete page. Rejects with the signal's reason, or with the failure that ended the run;
 * stored records stay.
 */
export async function harvest(options: HarvestOptions, total: HarvestSummary): Promise<void> {
  const { db, source, set, format = 'arXiv', now, signal } = options;
  const show = options.startProgress(format === 'arXiv' ? 'records' : 'versions');
  let run = startRun(options);
  let failures = 0;
  let hasRestarted = false;
  const seen = new Set<string>();
  while (!total.finished && hasRoom(total, options)) {
    const { from, token } = run;
    let page: RecordPage;
    try {
      page = await source.listRecords(token === null ? { set, from, format } : { token }, signal);
      // arXiv sometimes sends empty responses by mistake.
      if (token !== null && page.records.length + page.skipped.length === 0) {
        throw new InvalidResponseError('arXiv sent an empty page.');
      }
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      const isExpired = error instanceof TokenExpired;
      if (failures >= MAX_FAILURES || (isExpired && hasRestarted)) throw error;
      if (isRateLimit(error) || isKnownUnreachable(error) || isStoreFault(error)) throw error;
      options.log(`${options.describeFault(error)} Retrying.`);
      // Tokens live for a day at most; starting over costs only a few requests.
      if (isExpired) {
        run = { ...run, token: null, records: 0 };
        hasRestarted = true;
        seen.clear();
        total.skipped = 0;
      }
      continue;
    }
    const ids = [...page.records, ...page.skipped].map(({ id }) => id ?? '');
    if (page.token !== null && ids.length > 0 && ids.every((id) => seen.has(id))) {
      throw new Error("arXiv's list loops back to an earlier page");
    }
    // Records repeat within and across pages: the last one for an id counts.
    const skipped = page.skipped.filter(({ id }) => id === null || !seen.has(id));
    for (const id of ids) seen.add(id);
    const last = new Map(page.records.map((record) => [record.id, record]));
    const records = [...last.values()].map((record) => dropImpossibleDays(record, toDay(now())));
    expectKept(db, records, total);
    const isWhole = await storeRecords(records, total, options);
    total.finished = isWhole && page.token === null;
    // A page cut short by the limit is requested again; its stored records then count as unchanged.
    if (isWhole) {
      // A response cannot be older than the requested day.
      const reported = page.responseDate > from ? page.responseDate : from;
      const responded = checkpointOf(run.responded ?? reported, toDay(now()));
      const count = run.records + records.length + page.skipped.length;
      run = { from, token: page.token, responded, records: count };
    }
    saveRun(db, nameOf(options), run, total.finished ? now() : null);
    total.skipped += skipped.length;
    if (skipped.length > 0 && format === 'arXiv') options.log(describeSkipped(skipped));
    const share = total.finished ? 1 : shareOf(from, records.at(-1)?.datestamp, now());
    const done = total.added + total.changed + total.withdrawn + total.unchanged;
    show({ share, text: countOf(done, 'record') });
    signal.throwIfAborted();
  }
}

/** Names every skipped record, because arXiv lists it again only once it changes. */
function describeSkipped(records: readonly SkippedRecord[]): string {
  const names = records.map(({ id, reason }) => `${id ?? 'one without a readable id'} (${reason})`);
  return `Skipped ${countOf(records.length, 'damaged record')} from arXiv: ${names.join(', ')}.`;
}

/** arXiv's oldest records date from 1986. */
const FIRST_DAY = '1986-01-01';

function dropImpossibleDays(record: ArxivRecord, today: string): ArxivRecord {
  const { metadata, datestamp } = record;
  const possible = (day: string | null) =>
    day !== null && isPossibleDate(day, { first: FIRST_DAY, today }) ? day : null;
  return {
    ...record,
    datestamp: checkpointOf(datestamp, today),
    metadata: metadata && {
      ...metadata,
      created: possible(metadata.created),
      updated: possible(metadata.updated),
    },
  };
}

/** Throws if a run withdraws an implausible share of the shelf. */
function expectKept(
  db: Database,
  records: readonly ArxivRecord[],
  { withdrawn }: HarvestSummary,
): void {
  const gone = records.filter(
    ({ id, metadata }) =>
      isGone(metadata) && findPaperByCardId(db, cardIdOf(sourceIdOf(id)))?.withdrawn === 0,
  ).length;
  if (gone === 0 || !losesTooMany(withdrawn + gone, withdrawn + summarisePapers(db).count)) return;
  throw new InvalidResponseError('arXiv reports an implausible number of papers as withdrawn.');
}

/**
 * Stores records in small transactions, so that other writers never wait long, and adds their
 * counts to `total`. Returns false if the limit left some out.
 */
async function storeRecords(
  records: readonly ArxivRecord[],
  total: HarvestSummary,
  options: HarvestOptions,
): Promise<boolean> {
  const { db, format, now, signal } = options;
  const store = format === 'arXivRaw' ? storeHistory : upsertRecord;
  for (let start = 0; start < records.length; start += SLICE) {
    if (start > 0) await pause(SLICE_PAUSE_MS, signal);
    const isAll = write(db, () =>
      records.slice(start, start + SLICE).every((record) => {
        if (!hasRoom(total, options)) return false;
        total[store(db, record, now())] += 1;
        return true;
      }),
    );
    if (!isAll) return false;
  }
  return true;
}

/**
 * Whether the limit allows another change. Unchanged records do not count, so that each of several
 * limited runs makes progress.
 */
function hasRoom(total: HarvestSummary, { limit = Number.POSITIVE_INFINITY }: HarvestOptions) {
  return total.added + total.changed + total.withdrawn < limit;
}

/** Key under which the progress of a list is stored. */
const nameOf = ({ set, format = 'arXiv' }: HarvestOptions) =>
  format === 'arXiv' ? set : `${set} ${format}`;

/**
 * The interrupted run or, if there is none or `since` differs from its start, a new one. Ignores
 * stored days in the future, which a fast clock wrote.
 */
function startRun(options: HarvestOptions): Run {
  const { db, since, now } = options;
  const stored = findHarvest(db, nameOf(options));
  const today = toDay(now());
  const isPast = (day: string | null | undefined): day is string =>
    typeof day === 'string' && day <= today;
  const started = stored?.from;
  if (stored && isPast(started) && (since ?? started) === started) {
    return { ...stored, from: started };
  }
  // The first list of versions goes back as far as the stored records.
  const covered = options.format === 'arXivRaw' ? findHarvest(db, options.set)?.coveredFrom : null;
  const from = since ?? [stored?.nextFrom, covered].find(isPast) ?? shiftDay(today, -FIRST_DAYS);
  return { from, token: null, responded: null, records: 0 };
}

/** How far the day `reached` lies between `from` and now, from 0 to 1; null if unknown. */
function shareOf(from: string, reached: string | undefined, now: Date): number | null {
  const start = Date.parse(from);
  const span = now.getTime() - start;
  if (reached === undefined || span <= 0) return null;
  return Math.min(1, Math.max(0, (Date.parse(reached) - start) / span));
}

/**
 * Saves a run's checkpoint or, if `at` is given, its end: the next run then starts on the day of
 * this run's first response. A run without records does not change that day. A run that leaves a
 * gap after the previous one, or a first run without records, does not count as finished.
 */
function saveRun(db: Database, set: string, run: Run, at: Date | null): void {
  const save = db.prepare(`
    INSERT INTO harvest (set_name, run_from, run_token, run_answered, run_records)
    VALUES (@set, @from, @token, @responded, @records)
    ON CONFLICT (set_name) DO UPDATE SET run_from = @from, run_token = @token,
      run_answered = @responded, run_records = @records`);
  const finish = db.prepare(`
    UPDATE harvest SET next_from = iif(@records = 0, next_from, @responded),
      covered_from = coalesce(covered_from, @from), finished_at = @at
    WHERE set_name = @set AND iif(next_from IS NULL, @records > 0, next_from >= @from)`);
  write(db, () => {
    save.run({ ...run, set, from: at === null ? run.from : null });
    if (at !== null) finish.run({ ...run, set, at: at.toISOString() });
  });
}
