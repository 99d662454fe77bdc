import { describeError } from '../../core/errors.ts';
import { type Job, SharedJobs, type WaitResult } from '../../core/shared-jobs.ts';
import { write } from '../../store/connection.ts';
import { type FullTextDependencies, fetchPaper, needsOf } from './fetch-text.ts';
import { upsertRecord } from './ingest.ts';
import { findPaperByCardId } from './queries.ts';

/** Longest time that a call waits for arXiv; the work then continues in the background. */
const LONGEST_WAIT_MS = 20_000;

export interface RefresherDependencies extends FullTextDependencies {
  /** Queues the embedding of papers that were read. */
  embedLater(): void;
  reachability: { isUpstreamUnreachable(): boolean };
}

export type PaperRefresher = ReturnType<typeof createPaperRefresher>;

/** Brings papers up to date when they are read. */
export function createPaperRefresher(dependencies: RefresherDependencies) {
  const { db, now } = dependencies;
  const jobs = new SharedJobs();
  const isUnreachable = () => dependencies.reachability.isUpstreamUnreachable();

  function start(name: string, work: (signal: AbortSignal) => Promise<unknown>): Job {
    return jobs.start(name, async (signal) => {
      try {
        await work(signal);
        dependencies.embedLater();
      } catch (error) {
        if (!signal.aborted) dependencies.log(`papers: ${describeError(error)}`);
      }
    });
  }

  async function attend(job: Job, wait: boolean, signal: AbortSignal): Promise<WaitResult> {
    if (wait && !isUnreachable()) return job.attend(LONGEST_WAIT_MS, isUnreachable, signal);
    job.keep();
    return isUnreachable() ? 'unreachable' : 'pending';
  }

  return {
    /**
     * Fetches what a paper needs; concurrent callers share one attempt. Resolves to `settled` when the
     * attempt ends, to `pending` after 20 seconds (at once if `wait` is false), or to `unreachable` if
     * arXiv is unreachable. Rejects only with the signal's reason, and then stops the attempt if no
     * other caller relies on it.
     */
    async freshen(
      cardId: string,
      wait: boolean,
      report: (message: string) => void,
      signal: AbortSignal,
    ): Promise<WaitResult> {
      const paper = findPaperByCardId(db, cardId);
      if (paper === undefined) return 'settled';
      const running = jobs.find(cardId);
      const needs = needsOf(paper, now());
      if (running === undefined && !needs.facts && !needs.text) return 'settled';
      let isAttended = true;
      // The job may outlast the call, which accepts no reports after its reply.
      const reportWhileAttended = (message: string) => {
        if (isAttended) report(message);
      };
      const fetch = (stop: AbortSignal) =>
        fetchPaper(dependencies, cardId, 'awaited', reportWhileAttended, stop);
      return attend(running ?? start(cardId, fetch), wait, signal).finally(() => {
        isAttended = false;
      });
    },
    /**
     * Adds a paper that is not on the shelf, by its arXiv id, with its abstract only. Waits,
     * resolves and rejects like `freshen`; also resolves to `settled` if arXiv does not know the paper or
     * has withdrawn it.
     */
    async add(
      arxivId: string,
      report: (message: string) => void,
      signal: AbortSignal,
    ): Promise<WaitResult> {
      const add = async (stop: AbortSignal) => {
        const record = await dependencies.source.getRecord(arxivId, stop);
        if (record !== null) write(db, () => upsertRecord(db, record, now()));
      };
      const job = jobs.find(arxivId) ?? start(arxivId, add);
      if (!isUnreachable()) report('asking arXiv for the paper');
      return attend(job, true, signal);
    },
    /** Aborts running jobs; partial downloads are discarded. */
    close: () => jobs.close(),
  };
}
