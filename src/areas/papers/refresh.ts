import { type WaitOutcome, waitFor } from '../../upstream/wait.ts';
import { embedText } from './digest/passages.ts';
import { type FullTextDependencies, fetchPaper, needsOf } from './full-text/reading.ts';
import { findPaperByCardId } from './queries.ts';
import { digestPaper, type Embed } from './sync/digest-papers.ts';

/** Longest time that a call waits for arXiv; the work then continues in the background. */
const LONGEST_WAIT_MS = 20_000;

export interface ReaderTools extends FullTextDependencies {
  /** One unit vector per text, or null while there is no model. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
  reachability: {
    /** See `store/reachability.ts`. */
    isUpstreamUnreachable(): boolean;
  };
}

/** Brings papers up to date for those who read them. */
export interface PaperReader {
  /**
   * Fetches what a paper lacks; calls for the same paper share the work. Resolves when it is done;
   * as pending after 20 seconds, or at once for a call that does not `wait`; as unreachable when arXiv
   * is known to be, at once, or found to be, soon. Never rejects.
   */
  freshen(cardId: string, wait: boolean, report: (message: string) => void): Promise<WaitOutcome>;
  /** Stops the work in hand; what is half-fetched is dropped. */
  close(): Promise<void>;
}

interface Job {
  done: Promise<void>;
  listeners: Set<(message: string) => void>;
}

export function createPaperReader(tools: ReaderTools): PaperReader {
  const stopping = new AbortController();
  const jobs = new Map<string, Job>();
  /** Vectors are made one paper after the other, after the reply. */
  let embedding: Promise<void> = Promise.resolve();

  const complain = (error: unknown) => {
    if (stopping.signal.aborted) return;
    tools.log(`papers: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  };

  function startJob(cardId: string): Job {
    const listeners = new Set<(message: string) => void>();
    const report = (message: string) => {
      for (const listen of listeners) listen(message);
    };
    // Begun in a moment, when whoever asked is listening.
    const done = Promise.resolve()
      .then(() => fetchPaper(tools, cardId, 'reading', report, stopping.signal))
      .then(() => {
        embedding = embedding.then(() => embedArrived(cardId)).catch(complain);
      }, complain)
      .finally(() => jobs.delete(cardId));
    const job = { done, listeners };
    jobs.set(cardId, job);
    return job;
  }

  async function embedArrived(cardId: string): Promise<void> {
    const paper = findPaperByCardId(tools.db, cardId);
    if (paper === undefined || stopping.signal.aborted) return;
    const embed: Embed = async (texts) => {
      const vectors = await tools.embed(texts);
      if (vectors === null) throw new Error('there is no model for the vectors of this paper yet');
      return vectors;
    };
    await digestPaper(tools.db, paper.id, embed);
    await embedText(tools.db, paper.id, embed, stopping.signal);
  }

  const isUnreachable = () => tools.reachability.isUpstreamUnreachable();

  return {
    async freshen(cardId, wait, report) {
      const paper = findPaperByCardId(tools.db, cardId);
      if (paper === undefined || stopping.signal.aborted) return 'settled';
      const running = jobs.get(cardId);
      const needs = needsOf(paper, tools.now());
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
