import type { Database } from 'better-sqlite3';
import { pause } from '../../../core/time.ts';
import {
  type ArxivRecord,
  type ArxivSource,
  type RecordPage,
  type SkippedRecord,
  TokenExpired,
} from '../source.ts';
import { finishRun, type Run, saveRun } from './ingest.ts';
import { findHarvest, type HarvestRow } from './queries.ts';
import { type Intake, upsertRecords } from './record-ingest.ts';

/** A pass gives up after so many requests in a row that failed for good. */
const MAX_FAILURES = 3;
/** An empty shelf begins with the papers of so many days. */
const FIRST_DAYS = 365;
/** So often a list may be begun anew without a page in between. */
const MAX_RESTARTS = 3;
/** All of arXiv comes on some 1,200 pages of the usual size; a list of more has no end. */
const MAX_PAGES = 5_000;
/** Records that are stored at once, and the pause behind them: others may write in between. */
const SLICE = 25;
const SLICE_PAUSE_MS = 5;

export interface HarvestOptions {
  /** Set of OAI-PMH, such as `q-fin` or `q-fin:q-fin:PM`. */
  set: string;
  /** YYYY-MM-DD; else where the last run stopped or ended. */
  since?: string | undefined;
  /** Records to take in at most. */
  limit?: number | undefined;
  now: () => Date;
  signal: AbortSignal;
  onPage?: ((intake: Intake, progress: HarvestProgress) => void) | undefined;
  /** Records of a page that could not be used, each told of once. */
  onSkipped?: ((records: readonly SkippedRecord[]) => void) | undefined;
  /** A request failed and is asked again. */
  onFault?: ((error: unknown) => void) | undefined;
}

export interface HarvestProgress {
  /** Records of this run so far, those of an interrupted one included. */
  records: number;
  /** Share of the days that are behind us, 0..1; null while the records come in no order. */
  share: number | null;
}

export interface HarvestSummary extends Intake {
  /** Records that could not be used: what the shelf holds of their papers stays as it was. */
  skipped: number;
  /** The list came to its end; false when the limit did. */
  finished: boolean;
}

/**
 * Takes in the records of a set, page by page, each with its checkpoint: stopped anywhere, the next
 * call goes on behind the last whole page. Rejects when arXiv fails three times
 * in a row, or with the signal's reason; what came before stays.
 */
export async function harvest(
  db: Database,
  source: ArxivSource,
  options: HarvestOptions,
): Promise<HarvestSummary> {
  const { set, now, signal, limit = Number.POSITIVE_INFINITY } = options;
  const row = believable(findHarvest(db, set), now());
  const before = row?.nextFrom ?? null;
  let run = startRun(row, options);
  const total = { added: 0, changed: 0, unchanged: 0, withdrawn: 0, skipped: 0, finished: false };
  let restarts = 0;
  const tokens = new Set<string>();
  const skippedIds = new Set<string>();
  for (let pages = 0; !total.finished && countNews(total) < limit; pages += 1) {
    if (pages >= MAX_PAGES) throw new Error('arXiv’s list has no end');
    const page = await askForPage(source, run, before === null, options);
    if (page === 'expired') {
      restarts += 1;
      if (restarts > MAX_RESTARTS) throw new Error('arXiv keeps forgetting where its list stood');
      run = restartRun(run);
      tokens.clear();
      continue;
    }
    restarts = 0;
    if (page.token !== null && tokens.has(page.token)) {
      throw new Error('arXiv’s list leads back to where it was');
    }
    if (page.token !== null) tokens.add(page.token);
    const records = uniqueRecords(page.records);
    const next = afterPage(run, page, records, now());
    const { intake, whole } = await takePage(
      db,
      records,
      limit - countNews(total),
      options,
      (all) => {
        const finished = all && page.token === null;
        // A page that the limit cuts is asked for again the next time.
        if (finished) finishRun(db, set, endRun(row, next, now()), now());
        else saveRun(db, set, before, all ? next : run);
      },
    );
    // Readers never wait for it; without it the journal would grow with every page.
    db.pragma('wal_checkpoint(PASSIVE)');
    total.added += intake.added;
    total.changed += intake.changed;
    total.unchanged += intake.unchanged;
    total.withdrawn += intake.withdrawn;
    total.finished = whole && page.token === null;
    const skipped = withoutKnown(page.skipped, skippedIds);
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
 * A page slice by slice, each in its transaction, so that nobody else waits long for his turn to
 * write. The checkpoint belongs to the last of them: a page that is left in the middle is asked for
 * again. `whole` is false when the limit cut it.
 */
async function takePage(
  db: Database,
  records: readonly ArxivRecord[],
  limit: number,
  { now, signal }: HarvestOptions,
  checkpoint: (whole: boolean) => void,
): Promise<{ intake: Intake; whole: boolean }> {
  const total: Intake = { added: 0, changed: 0, unchanged: 0, withdrawn: 0 };
  for (let start = 0; ; start += SLICE) {
    const slice = records.slice(start, start + SLICE);
    const isLast = start + SLICE >= records.length;
    const { intake, whole } = db
      .transaction(() => {
        const taken = upsertRecords(db, slice, now(), limit - countNews(total));
        if (isLast || !taken.whole) checkpoint(taken.whole);
        return taken;
      })
      .immediate();
    total.added += intake.added;
    total.changed += intake.changed;
    total.unchanged += intake.unchanged;
    total.withdrawn += intake.withdrawn;
    if (isLast || !whole) return { intake: total, whole };
    await pause(SLICE_PAUSE_MS, signal);
  }
}

/** A day of the future was written by a clock that ran ahead, ours or arXiv's: as if it were not there. */
function believable(row: HarvestRow | undefined, now: Date): HarvestRow | undefined {
  return row?.nextFrom != null && row.nextFrom > dayOf(now) ? { ...row, nextFrom: null } : row;
}

/** What the limit counts: records that tell nothing new are free, so that small steps get ahead. */
function countNews({ added, changed, withdrawn }: Intake): number {
  return added + changed + withdrawn;
}

/** Goes on with an interrupted run, unless another beginning is asked for. */
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

/** The token is lost: on from the last day seen if the list came in order, else from the start. */
function restartRun(run: Run): Run {
  return { ...run, token: null, reached: run.reached ?? run.from };
}

/**
 * One page, with patience. An empty page where there must be records (at the very first question,
 * and behind a token) is asked for once more: arXiv is known to send some by mistake.
 */
async function askForPage(
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
      if (failures >= MAX_FAILURES) throw error;
      onFault?.(error);
    }
  }
}

/** The last of the records of one id: pages repeat them at their joins, and within. */
function uniqueRecords(records: readonly ArxivRecord[]): ArxivRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

/** Those whose id is not in `known`, where it is put; without an id each counts. */
function withoutKnown(records: readonly SkippedRecord[], known: Set<string>): SkippedRecord[] {
  return records.filter(({ id }) => {
    if (id === null) return true;
    const isNew = !known.has(id);
    known.add(id);
    return isNew;
  });
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
 * A run that began where the last one ended, or before, moves the beginning of the next one to its
 * own first answer: what changed meanwhile is then asked for again. A later beginning would leave a
 * gap, so it moves nothing.
 */
function endRun(row: HarvestRow | undefined, run: Run, now: Date) {
  const { nextFrom: before = null, coveredFrom = null } = row ?? {};
  const today = dayOf(now);
  const next = run.answered !== null && run.answered > today ? today : run.answered;
  if (before === null) return { next, coveredFrom: run.from };
  if (run.from > before) return null;
  // Where the shelf was covered since ever, it stays so.
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
