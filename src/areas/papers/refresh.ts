import { type WaitOutcome, waitFor } from '../../upstream/wait.ts';
import { embedText } from './full-text/passages.ts';
import { type FullTextDependencies, fetchPaper, needsOf } from './full-text/reading.ts';
import { findPaperByCardId } from './queries.ts';
import { digestPaper, type Embed } from './sync/digest-papers.ts';

/** Longest time that a call waits for arXiv; the work then continues in the background. */
const LONGEST_WAIT_MS = 20_000;

export interface RefresherDependencies extends FullTextDependencies {
  /** One unit vector per text, or null while no model is loaded. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
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
   * when arXiv is known to be, soon when that is found out. Never rejects.
   */
  freshen(cardId: string, wait: boolean, report: (message: string) => void): Promise<WaitOutcome>;
  /** Aborts running jobs; partial downloads are discarded. */
  close(): Promise<void>;
}

interface Job {
  done: Promise<void>;
  listeners: Set<(message: string) => void>;
}

export function createPaperRefresher(dependencies: RefresherDependencies): PaperRefresher {
  const stopping = new AbortController();
  const jobs = new Map<string, Job>();
  /** Tail of the embedding queue: one paper at a time, after the reply. */
  let embedding: Promise<void> = Promise.resolve();

  const logError = (error: unknown) => {
    if (stopping.signal.aborted) return;
    dependencies.log(
      `papers: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  };

  function startJob(cardId: string): Job {
    const listeners = new Set<(message: string) => void>();
    const report = (message: string) => {
      for (const listen of listeners) listen(message);
    };
    // Starts on the next microtask, so that the caller can add its listener first.
    const done = Promise.resolve()
      .then(() => fetchPaper(dependencies, cardId, 'reading', report, stopping.signal))
      .then(() => {
        embedding = embedding.then(() => embedFetched(cardId)).catch(logError);
      }, logError)
      .finally(() => jobs.delete(cardId));
    const job = { done, listeners };
    jobs.set(cardId, job);
    return job;
  }

  async function embedFetched(cardId: string): Promise<void> {
    const paper = findPaperByCardId(dependencies.db, cardId);
    if (paper === undefined || stopping.signal.aborted) return;
    const embed: Embed = async (texts) => {
      const vectors = await dependencies.embed(texts);
      if (vectors === null) throw new Error('no embedding model is loaded yet');
      return vectors;
    };
    await digestPaper(dependencies.db, paper.id, embed);
    await embedText(dependencies.db, paper.id, embed, stopping.signal);
  }

  const isUnreachable = () => dependencies.reachability.isUpstreamUnreachable();

  return {
    async freshen(cardId, wait, report) {
      const paper = findPaperByCardId(dependencies.db, cardId);
      if (paper === undefined || stopping.signal.aborted) return 'settled';
      const running = jobs.get(cardId);
      const needs = needsOf(paper, dependencies.now());
      if (running === undefined && !needs.facts && !needs.text) return 'settled';
      const job = running ?? startJob(cardId);
      if (isUnreachable()) return 'unreachable';
      if (!wait) return 'pending';
      job.listeners.add(report);
      try {
        return await waitFor(job.done, LONGEST_WAIT_MS, isUnreachable);
      } finally {
        job.listeners.delete(report);
      }
    },
    async close() {
      stopping.abort();
      await Promise.all([...jobs.values()].map(({ done }) => done));
      await embedding;
    },
  };
}
