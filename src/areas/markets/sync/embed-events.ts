import type { Database } from 'better-sqlite3';
import { storeEventVectors } from './ingest.ts';
import { listUnembeddedEvents } from './queries.ts';

/** Batch size; an interruption loses one batch. */
const EVENTS_AT_ONCE = 32;

/**
 * Embeds every event whose vector is missing or out of date, and stores batch by batch. Until then
 * such events are found by lexical search only. Returns the number of events.
 */
export async function embedEvents(
  db: Database,
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
  options: { signal: AbortSignal; onProgress?: (done: number) => void },
): Promise<number> {
  for (let done = 0; ; ) {
    options.signal.throwIfAborted();
    const events = listUnembeddedEvents(db, EVENTS_AT_ONCE);
    if (events.length === 0) return done;
    const vectors = await embed(events.map(({ text }) => text));
    const deliveries = events.map(({ id, wordsHash }, index) => {
      const vector = vectors[index];
      if (vector === undefined) throw new Error('the model returned fewer vectors than texts');
      return { id, wordsHash, vector };
    });
    storeEventVectors(db, deliveries);
    done += events.length;
    options.onProgress?.(done);
  }
}
