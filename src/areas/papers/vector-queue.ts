import type { Database } from 'better-sqlite3';
import { describeError } from '../../core/errors.ts';
import type { Embed } from '../../core/sync.ts';
import { digestPaper, embedText } from './embed.ts';
import { listUnembeddedTexts } from './vector-ingest.ts';

/** Texts left by other processes that are embedded at a time. */
const LEFT_AT_ONCE = 5;

export interface VectorQueueOptions {
  /** Writable. */
  db: Database;
  /** One unit vector per text, or null while no model is loaded. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
  log(line: string): void;
}

/** Embeds papers in the background, one at a time. */
export interface VectorQueue {
  /** A paper that was just fetched: its card, and the sections of its text. */
  add(paperId: number): void;
  /** Some of the texts without vectors, which a process left that ended with its reply. */
  addLeft(): void;
  /** Stops, and waits for the text at work. */
  close(): Promise<void>;
}

export function createVectorQueue({ db, embed, log }: VectorQueueOptions): VectorQueue {
  const stopping = new AbortController();
  const { signal } = stopping;
  let tail: Promise<void> = Promise.resolve();

  const embedNow: Embed = async (texts) => {
    const vectors = await embed(texts);
    if (vectors === null) throw new Error('no embedding model is loaded yet');
    return vectors;
  };

  function queue(list: () => readonly number[]): void {
    tail = tail
      .then(async () => {
        if (signal.aborted) return;
        for (const id of list()) {
          try {
            await digestPaper(db, id, embedNow);
            await embedText(db, id, embedNow, signal);
          } catch (error) {
            // The texts after one that fails still get their vectors.
            if (signal.aborted) return;
            log(`papers: ${describeError(error)}`);
          }
        }
      })
      .catch((error: unknown) => log(`papers: ${describeError(error)}`));
  }

  return {
    add: (paperId) => queue(() => [paperId]),
    addLeft: () => queue(() => listUnembeddedTexts(db).slice(0, LEFT_AT_ONCE)),
    close() {
      stopping.abort();
      return tail;
    },
  };
}
