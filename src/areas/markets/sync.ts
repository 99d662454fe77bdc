import type { Database } from 'better-sqlite3';
import type { PullScope } from './freshness.ts';
import { NOTHING_PULLED, type PullSummary, pullEvents } from './pull.ts';
import type { PolymarketSource } from './sources/polymarket.ts';
import { dropDamagedVectors, storeEventVectors } from './sync-ingest.ts';
import { listUnembeddedEvents } from './sync-queries.ts';
import { checkTags } from './tag-check.ts';

type Embed = (texts: readonly string[]) => Promise<Float32Array[]>;

export interface EventSyncOptions {
  db: Database;
  source: PolymarketSource;
  scope: PullScope;
  now: () => Date;
  signal: AbortSignal;
  /** Called only where an event needs a vector: the model may have to be downloaded first. */
  loadModel(): Promise<{ embed: Embed; close(): Promise<void> }>;
  onPage(soFar: PullSummary): void;
  onEmbedded(done: number): void;
}

export interface EventSync {
  summary: PullSummary;
  /** Every list was read to its end. */
  finished: boolean;
  /** Events that got a vector. */
  embedded: number;
  /** Tags of ours that Polymarket did not know; empty also where none was asked for. */
  unknownTags: readonly string[];
  /** What each part that failed has thrown, in order. */
  errors: unknown[];
}

/**
 * Fetches the finance events as they are now, embeds those whose text is new, and compares our tags with the
 * source's. A part that fails leaves the others to be done; one that was stopped ends the run.
 */
export async function syncEvents(options: EventSyncOptions): Promise<EventSync> {
  const { db, source, scope, now, signal } = options;
  const done: EventSync = {
    ...{ summary: NOTHING_PULLED, finished: false, embedded: 0, unknownTags: [], errors: [] },
  };
  const attempt = async (work: () => Promise<void>) => {
    if (signal.aborted) return;
    await work().catch((error: unknown) => done.errors.push(error));
  };
  dropDamagedVectors(db);
  await attempt(async () => {
    const onPage = (_: unknown, soFar: PullSummary) => {
      done.summary = soFar;
      options.onPage(soFar);
    };
    done.summary = await pullEvents({ db, source, now, signal, scope, onPage });
    const [fault] = done.summary.faults;
    if (fault !== undefined) throw new Error(fault);
  });
  await attempt(async () => {
    if (listUnembeddedEvents(db, 1).length === 0) return;
    const model = await options.loadModel();
    try {
      await embedEvents(db, model.embed, signal, (count) => {
        done.embedded = count;
        options.onEmbedded(count);
      });
    } finally {
      await model.close();
    }
  });
  // The busiest events are only a part.
  done.finished = done.summary.whole && scope === 'full';
  if (done.finished) {
    await attempt(async () => {
      done.unknownTags = (await checkTags({ db, source, now, signal })) ?? [];
    });
  }
  return done;
}

/** Batch size; an interruption loses one batch. */
const EVENTS_AT_ONCE = 32;

/**
 * Embeds every event whose vector is missing or out of date, and stores batch by batch. Until then
 * such events are found by lexical search only.
 */
async function embedEvents(
  db: Database,
  embed: Embed,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    const events = listUnembeddedEvents(db, EVENTS_AT_ONCE);
    if (events.length === 0) return;
    const vectors = await embed(events.map(({ text }) => text));
    const deliveries = events.map(({ id, wordsHash }, index) => {
      const vector = vectors[index];
      if (vector === undefined) throw new Error('the model returned fewer vectors than texts');
      return { id, wordsHash, vector };
    });
    storeEventVectors(db, deliveries);
    done += events.length;
    onProgress(done);
  }
}
