import type { Database } from 'better-sqlite3';
import { pause } from '../../core/time.ts';
import { isStoreFault } from '../../store/busy.ts';
import { isKnownUnreachable } from '../../upstream/errors.ts';
import { TokenExpired } from './arxiv/oai.ts';
import type { ArxivRecord, RecordPage, SkippedRecord } from './arxiv/records.ts';
import { findHarvest, finishRun, type HarvestRow, type Run, saveRun } from './harvest-ingest.ts';
import { type Outcome, upsertRecord } from './record-ingest.ts';
import type { ArxivSource } from './source.ts';

/** Consecutive failed requests after which a sync run gives up. */
const MAX_FAILURES = 3;
/** The first harvest goes back this many days. */
const FIRST_DAYS = 365;
/** Most restarts of a list without a page in between. */
const MAX_RESTARTS = 3;
/** All of arXiv takes some 1,200 pages of the usual size; a longer list must be endless. */
const MAX_PAGES = 5_000;
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

export interface HarvestProgress {
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
  const row = withoutFutureStart(findHarvest(db, set), now());
  const before = row?.nextFrom ?? null;
  let run = startRun(row, options);
  const total = { added: 0, changed: 0, unchanged: 0, withdrawn: 0, skipped: 0, finished: false };
  let restarts = 0;
  const tokens = new Set<string>();
  const skippedIds = new Set<string | null>();
  for (let pages = 0; !total.finished && countNew(total) < limit; pages += 1) {
    if (pages >= MAX_PAGES) throw new Error('arXiv’s list does not end');
    const page = await requestPage(source, run, before === null, options);
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
    await storePage(db, records, total, options, (whole) => {
      total.finished = whole && page.token === null;
      // A page cut by the limit is requested again next time.
      if (total.finished) finishRun(db, set, endRun(row, next, now()), now());
      else saveRun(db, set, before, whole ? next : run);
    });
    // Keeps the write-ahead log from growing with every page; never blocks readers.
    db.pragma('wal_checkpoint(PASSIVE)');
    const skipped = page.skipped.filter(({ id }) => id === null || !skippedIds.has(id));
    for (const { id } of skipped) skippedIds.add(id);
    total.skipped += skipped.length;
    if (skipped.length > 0) options.onSkipped?.(skipped);
    run = next;
    options.onPage?.(total, {
      records: run.records,
      share: total.finished ? 1 : shareOf(run, now()),
    });
    signal.throwIfAborted();
  }
  return total;
}

/**
 * Stores a page in slices, one transaction each, so that other writers never wait long, and adds to
 * the total. The last one writes the checkpoint, so a page interrupted halfway is requested again.
 * `whole` is false when the limit cut it.
 */
async function storePage(
  db: Database,
  records: readonly ArxivRecord[],
  total: Intake,
  { now, signal, limit = Number.POSITIVE_INFINITY }: HarvestOptions,
  checkpoint: (whole: boolean) => void,
): Promise<void> {
  for (let start = 0; ; start += SLICE) {
    const isDone = db
      .transaction(() => {
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
      })
      .immediate();
    if (isDone) return;
    await pause(SLICE_PAUSE_MS, signal);
  }
}

/** Ignores a checkpoint in the future: it came from a clock that was ahead. */
function withoutFutureStart(row: HarvestRow | undefined, now: Date): HarvestRow | undefined {
  return row?.nextFrom != null && row.nextFrom > dayOf(now) ? { ...row, nextFrom: null } : row;
}

/** Counts against the limit: unchanged records are free, so that even a low limit makes progress. */
function countNew({ added, changed, withdrawn }: Intake): number {
  return added + changed + withdrawn;
}

/** Resumes an interrupted run, unless another start is requested. */
function startRun(row: HarvestRow | undefined, { since, now }: HarvestOptions): Run {
  if (row?.runFrom != null && (since === undefined || since === row.runFrom)) {
    return {
      from: row.runFrom,
      token: row.runToken,
      answered: row.runAnswered,
      reached: row.runReached,
      records: row.runRecords,
    };
  }
  const first = dayOf(new Date(now().getTime() - FIRST_DAYS * 86_400_000));
  const from = since ?? row?.nextFrom ?? first;
  return { from, token: null, answered: null, reached: from, records: 0 };
}

/**
 * Requests a page, with retries. An empty page where records are expected (in the first harvest, and
 * after a token) is requested once more: arXiv is known to send some by mistake.
 */
async function requestPage(
  source: ArxivSource,
  run: Run,
  first: boolean,
  { set, signal, onFault }: HarvestOptions,
): Promise<RecordPage | 'expired'> {
  const ask = run.token === null ? { set, from: run.reached ?? run.from } : { token: run.token };
  let doubted = !first && run.token === null;
  for (let failures = 0; ; ) {
    try {
      const page = await source.listRecords(ask, signal);
      const isEmpty = page.records.length + page.skipped.length === 0;
      if (doubted || !isEmpty || page.token !== null) return page;
      doubted = true;
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
  const inOrder = days.every(
    (day, index) => day >= (days[index - 1] ?? run.reached ?? day) && day <= today,
  );
  return {
    from: run.from,
    token: page.token,
    answered: run.answered ?? (page.responseDate < today ? page.responseDate : today),
    reached: run.reached !== null && inOrder ? (days.at(-1) ?? run.reached) : null,
    records: run.records + records.length,
  };
}

/**
 * The start of the next run: the day of this run's first response, so that changes made meanwhile are
 * requested again. Null for a run that began after the last one ended: it left a gap, so it moves
 * nothing.
 */
function endRun(row: HarvestRow | undefined, run: Run, now: Date) {
  const { nextFrom: before = null, coveredFrom = null } = row ?? {};
  const today = dayOf(now);
  const next = run.answered !== null && run.answered > today ? today : run.answered;
  if (before === null) return { next, coveredFrom: run.from };
  if (run.from > before) return null;
  // Null means covered for all time, and stays so.
  return {
    next,
    coveredFrom: coveredFrom !== null && run.from < coveredFrom ? run.from : coveredFrom,
  };
}

function shareOf({ from, reached }: Run, now: Date): number | null {
  if (reached === null) return null;
  const [start, here] = [Date.parse(from), Date.parse(reached)];
  const span = now.getTime() - start;
  return span <= 0 ? null : Math.min(1, Math.max(0, (here - start) / span));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
