import { describeError } from '../../core/errors.ts';
import { createSharedJobs, type Job } from '../../core/shared-jobs.ts';
import { type WaitOutcome, waitFor } from '../../upstream/wait.ts';
import { type FullTextDependencies, fetchPaper, needsOf } from './fetch-text.ts';
import { upsertRecord } from './ingest.ts';
import { findPaperByCardId } from './queries.ts';

/** Longest time that a call waits for arXiv; the work then continues in the background. */
const LONGEST_WAIT_MS = 20_000;

export interface RefresherDependencies extends FullTextDependencies {
  /** Has a paper embedded in the background. */
  embedLater(paperId: number): void;
  reachability: {
    /** See `store/reachability.ts`. */
    isUpstreamUnreachable(): boolean;
  };
}

/** Brings a paper up to date when it is read. */
export interface PaperRefresher {
  /**
   * Fetches what a paper lacks; concurrent callers share one attempt. Resolves when it ends, as
   * pending after 20 seconds (at once unless `wait`) while it continues, or as unreachable: at once
   * when arXiv is known to be, soon when that is found out. Aborting `signal` stops an attempt that
   * nobody else waits for; rejects only then, with its reason.
   */
  freshen(
    cardId: string,
    wait: boolean,
    report: (message: string) => void,
    signal: AbortSignal,
  ): Promise<WaitOutcome>;
  /**
   * Adds a paper that is not on the shelf, by its arXiv id, with its abstract only. Waits, resolves and
   * rejects like `freshen`; settled, too, when arXiv does not know the paper or has withdrawn it.
   */
  add(
    arxivId: string,
    report: (message: string) => void,
    signal: AbortSignal,
  ): Promise<WaitOutcome>;
  /** Aborts running jobs; partial downloads are discarded. */
  close(): Promise<void>;
}

export function createPaperRefresher(dependencies: RefresherDependencies): PaperRefresher {
  const stopping = new AbortController();
  const jobs = createSharedJobs();
  const listeners = new Map<Job, Set<(message: string) => void>>();

  const logError = (error: unknown, signal = stopping.signal) => {
    if (signal.aborted) return;
    dependencies.log(`papers: ${describeError(error)}`);
  };

  function startJob(cardId: string): Job {
    const heard = new Set<(message: string) => void>();
    const report = (message: string) => {
      for (const listen of heard) listen(message);
    };
    const job = jobs.start(cardId, async (signal) => {
      try {
        await fetchPaper(dependencies, cardId, 'reading', report, signal);
        const paper = findPaperByCardId(dependencies.db, cardId);
        if (paper !== undefined) dependencies.embedLater(paper.id);
      } catch (error) {
        logError(error, signal);
      } finally {
        listeners.delete(job);
      }
    });
    listeners.set(job, heard);
    return job;
  }

  function startAdding(arxivId: string): Job {
    return jobs.start(arxivId, async (signal) => {
      const { db, source, now } = dependencies;
      try {
        const record = await source.getRecord(arxivId, signal);
        if (record !== null) db.transaction(() => upsertRecord(db, record, now())).immediate();
      } catch (error) {
        logError(error, signal);
      }
    });
  }

  const isUnreachable = () => dependencies.reachability.isUpstreamUnreachable();

  async function attend(job: Job, wait: boolean, signal: AbortSignal): Promise<WaitOutcome> {
    if (wait && !isUnreachable()) {
      return job.attend(waitFor(job.done, LONGEST_WAIT_MS, isUnreachable), signal);
    }
    job.keep();
    return isUnreachable() ? 'unreachable' : 'pending';
  }

  return {
    async freshen(cardId, wait, report, signal) {
      const paper = findPaperByCardId(dependencies.db, cardId);
      if (paper === undefined || stopping.signal.aborted) return 'settled';
      const running = jobs.find(cardId);
      const needs = needsOf(paper, dependencies.now());
      if (running === undefined && !needs.facts && !needs.text) return 'settled';
      const job = running ?? startJob(cardId);
      const heard = listeners.get(job);
      heard?.add(report);
      return attend(job, wait, signal).finally(() => heard?.delete(report));
    },
    async add(arxivId, report, signal) {
      if (stopping.signal.aborted) return 'settled';
      const job = jobs.find(arxivId) ?? startAdding(arxivId);
      if (!isUnreachable()) report('asking arXiv for the paper');
      return attend(job, true, signal);
    },
    async close() {
      stopping.abort();
      await jobs.close();
    },
  };
}
