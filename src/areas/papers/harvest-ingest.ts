import type { Database } from 'better-sqlite3';
import { pause } from '../../core/time.ts';
import { isStoreFault } from '../../store/busy.ts';
import { isKnownUnreachable } from '../../upstream/errors.ts';
import { TokenExpired } from './arxiv/oai.ts';
import type { ArxivRecord, RecordPage, SkippedRecord } from './arxiv/records.ts';
import { type Outcome, upsertRecord } from './ingest.ts';
import type { ArxivSource } from './source.ts';

/** Consecutive failed requests after which a sync run gives up. */
const MAX_FAILURES = 3;
/** The first harvest goes back this many days. */
const FIRST_DAYS = 365;
/** Most restarts of a list without a page in between. */
const MAX_RESTARTS = 3;
/** Records per transaction, and the pause after it in which other processes can write. */
const SLICE = 25;
const SLICE_PAUSE_MS = 5;

export interface HarvestOptions {
  /** OAI-PMH set, such as `q-fin` or `q-fin:q-fin:PM`. */
  set: string;
  /** YYYY-MM-DD; by default where the last run stopped or ended. */
  since?: string | undefined;
  /** Most records to store; unchanged ones do not count. */
  limit?: number | undefined;
  now: () => Date;
  signal: AbortSignal;
  onPage?: ((intake: Intake, progress: HarvestProgress) => void) | undefined;
  /** Receives the unusable records of a page, each record once. */
  onSkipped?: ((records: readonly SkippedRecord[]) => void) | undefined;
  /** A request failed and will be repeated. */
  onFault?: ((error: unknown) => void) | undefined;
}

interface HarvestProgress {
  /** Records of this run so far, including those before an interruption. */
  records: number;
  /** Share of the days done, 0 to 1; null once records came out of order. */
  share: number | null;
}

/** Counts of records by outcome. */
export type Intake = Record<Outcome, number>;

export interface HarvestSummary extends Intake {
  /** Unusable records; their papers stay unchanged on the shelf. */
  skipped: number;
  /** The run reached the end of the list; false when it reached the limit first. */
  finished: boolean;
}

/** Progress of a harvest run, stored after every page. Days are YYYY-MM-DD. */
interface Run {
  from: string;
  /** Resumption token of the next page; null at the start. */
  token: string | null;
  /** Day of the first response. */
  answered: string | null;
  /** Last datestamp seen; null once records came out of order. */
  reached: string | null;
  records: number;
}

/** What is stored of the harvests of a set; days are YYYY-MM-DD. */
export interface Harvest {
  nextFrom: string | null;
  /** The shelf has every change from this day to `nextFrom`; null means every change ever. */
  coveredFrom: string | null;
  /** The unfinished run. */
  run: Run | null;
}

/**
 * Stores the records of a set page by page, each with a checkpoint, so that the next call resumes
 * after the last complete page. Rejects when arXiv fails three times in a row, or with the signal's
 * reason; what was stored stays.
 */
export async function harvest(
  db: Database,
  source: ArxivSource,
  options: HarvestOptions,
): Promise<HarvestSummary> {
  const { set, now, signal, limit = Number.POSITIVE_INFINITY } = options;
  const stored = findHarvest(db, set);
  // A checkpoint in the future came from a clock that was ahead.
  const nextFrom =
    stored.nextFrom !== null && stored.nextFrom > dayOf(now()) ? null : stored.nextFrom;
  let run = startRun({ ...stored, nextFrom }, options);
  const total = { added: 0, changed: 0, unchanged: 0, withdrawn: 0, skipped: 0, finished: false };
  let restarts = 0;
  const tokens = new Set<string>();
  const skippedIds = new Set<string | null>();
  while (!total.finished && countNew(total) < limit) {
    const page = await requestPage(source, run, nextFrom === null, options);
    if (page === 'expired') {
      restarts += 1;
      if (restarts > MAX_RESTARTS) throw new Error('arXiv keeps expiring its resumption tokens');
      // Without its token, a run restarts at the last day seen, or at its start if that is unknown.
      run = { ...run, token: null, reached: run.reached ?? run.from };
      tokens.clear();
      continue;
    }
    restarts = 0;
    if (page.token !== null && tokens.has(page.token)) {
      throw new Error('arXiv’s list loops back to an earlier page');
    }
    if (page.token !== null) tokens.add(page.token);
    // The last record of each id: pages repeat records, at their boundaries and within.
    const records = [...new Map(page.records.map((record) => [record.id, record])).values()];
    const next = afterPage(run, page, records, now());
    await storePage(db, records, total, options, (isWhole) => {
      total.finished = isWhole && page.token === null;
      // A page cut by the limit is requested again next time.
      if (total.finished) finishRun(db, set, endRun({ ...stored, nextFrom }, next, now()), now());
      else saveRun(db, set, nextFrom, isWhole ? next : run);
    });
    // Keeps the write-ahead log from growing with every page; never blocks readers.
    db.pragma('wal_checkpoint(PASSIVE)');
    const skipped = page.skipped.filter(({ id }) => id === null || !skippedIds.has(id));
    for (const { id } of skipped) skippedIds.add(id);
    total.skipped += skipped.length;
    if (skipped.length > 0) options.onSkipped?.(skipped);
    run = next;
    const share = total.finished ? 1 : shareOf(run, now());
    options.onPage?.(total, { records: run.records, share });
    signal.throwIfAborted();
  }
  return total;
}

/**
 * Stores a page in slices, one transaction each, so that other writers never wait long, and adds to
 * the total. The last one writes the checkpoint, so a page interrupted halfway is requested again.
 * `isWhole` is false when the limit cut it.
 */
async function storePage(
  db: Database,
  records: readonly ArxivRecord[],
  total: Intake,
  { now, signal, limit = Number.POSITIVE_INFINITY }: HarvestOptions,
  checkpoint: (isWhole: boolean) => void,
): Promise<void> {
  for (let start = 0; ; start += SLICE) {
    const store = db.transaction(() => {
      for (const record of records.slice(start, start + SLICE)) {
        if (countNew(total) >= limit) {
          checkpoint(false);
          return true;
        }
        total[upsertRecord(db, record, now())] += 1;
      }
      const isLast = start + SLICE >= records.length;
      if (isLast) checkpoint(true);
      return isLast;
    });
    if (store.immediate()) return;
    await pause(SLICE_PAUSE_MS, signal);
  }
}

/** Counts against the limit: unchanged records are free, so that even a low limit makes progress. */
function countNew({ added, changed, withdrawn }: Intake): number {
  return added + changed + withdrawn;
}

/** Resumes an interrupted run, unless another start is requested. */
function startRun({ run, nextFrom }: Harvest, { since, now }: HarvestOptions): Run {
  if (run !== null && (since === undefined || since === run.from)) return run;
  const first = dayOf(new Date(now().getTime() - FIRST_DAYS * 86_400_000));
  const from = since ?? nextFrom ?? first;
  return { from, token: null, answered: null, reached: from, records: 0 };
}

/**
 * Requests a page, with retries. An empty page where records are expected (in the first harvest, and
 * after a token) is requested once more: arXiv is known to send some by mistake.
 */
async function requestPage(
  source: ArxivSource,
  run: Run,
  isFirst: boolean,
  { set, signal, onFault }: HarvestOptions,
): Promise<RecordPage | 'expired'> {
  const request =
    run.token === null ? { set, from: run.reached ?? run.from } : { token: run.token };
  let mayBeEmpty = !isFirst && run.token === null;
  for (let failures = 0; ; ) {
    try {
      const page = await source.listRecords(request, signal);
      const isEmpty = page.records.length + page.skipped.length === 0;
      if (mayBeEmpty || !isEmpty || page.token !== null) return page;
      mayBeEmpty = true;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TokenExpired) return 'expired';
      failures += 1;
      if (failures >= MAX_FAILURES || isKnownUnreachable(error) || isStoreFault(error)) throw error;
      onFault?.(error);
    }
  }
}

function afterPage(run: Run, page: RecordPage, records: readonly ArxivRecord[], now: Date): Run {
  const today = dayOf(now);
  const days = records.map(({ datestamp }) => datestamp);
  const isInOrder = days.every(
    (day, index) => day >= (days[index - 1] ?? run.reached ?? day) && day <= today,
  );
  return {
    from: run.from,
    token: page.token,
    answered: run.answered ?? (page.responseDate < today ? page.responseDate : today),
    reached: run.reached !== null && isInOrder ? (days.at(-1) ?? run.reached) : null,
    records: run.records + records.length,
  };
}

/**
 * The start of the next run: the day of this run's first response, so that changes made meanwhile are
 * requested again. Null for a run that began after the last one ended: it left a gap, so it moves
 * nothing.
 */
function endRun({ nextFrom, coveredFrom }: Harvest, run: Run, now: Date) {
  const today = dayOf(now);
  const next = run.answered !== null && run.answered > today ? today : run.answered;
  if (nextFrom === null) return { next, coveredFrom: run.from };
  if (run.from > nextFrom) return null;
  const isEarlier = coveredFrom !== null && run.from < coveredFrom;
  return { next, coveredFrom: isEarlier ? run.from : coveredFrom };
}

function shareOf({ from, reached }: Run, now: Date): number | null {
  const start = Date.parse(from);
  const span = now.getTime() - start;
  if (reached === null || span <= 0) return null;
  return Math.min(1, Math.max(0, (Date.parse(reached) - start) / span));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Saves the checkpoint of a set's run; `next` is the start of a run if there were none. */
function saveRun(db: Database, set: string, next: string | null, run: Run): void {
  db.prepare(`
    INSERT INTO harvest (
      set_name, next_from, run_from, run_token, run_answered, run_reached, run_records
    ) VALUES (@set, @next, @from, @token, @answered, @reached, @records)
    ON CONFLICT (set_name) DO UPDATE SET
      run_from = excluded.run_from, run_token = excluded.run_token,
      run_answered = excluded.run_answered, run_reached = excluded.run_reached,
      run_records = excluded.run_records`).run({ ...run, set, next });
}

/** Records that a set's run finished; null for a run that left a gap, which moves nothing. */
function finishRun(db: Database, set: string, end: ReturnType<typeof endRun>, at: Date): void {
  db.prepare(`
    INSERT INTO harvest (set_name) VALUES (@set)
    ON CONFLICT (set_name) DO UPDATE SET run_from = NULL, run_token = NULL, run_answered = NULL,
      run_reached = NULL, run_records = 0`).run({ set });
  if (end === null) return;
  db.prepare(`
    UPDATE harvest SET next_from = @next, covered_from = @coveredFrom, finished_at = @at
    WHERE set_name = @set`).run({ set, ...end, at: at.toISOString() });
}

export function findHarvest(db: Database, set: string): Harvest {
  const row = db
    .prepare<{ set: string }, Omit<Harvest, 'run'> & Omit<Run, 'from'> & { from: string | null }>(`
      SELECT next_from AS nextFrom, covered_from AS coveredFrom, run_from AS "from",
        run_token AS token, run_answered AS answered, run_reached AS reached,
        run_records AS records
      FROM harvest WHERE set_name = @set`)
    .get({ set });
  if (row === undefined) return { nextFrom: null, coveredFrom: null, run: null };
  const { nextFrom, coveredFrom, from, ...run } = row;
  return { nextFrom, coveredFrom, run: from === null ? null : { ...run, from } };
}
