import type { Database } from 'better-sqlite3';
import { dropEventVectors } from '../areas/markets/ingest.ts';
import { embedEvents } from '../areas/markets/sync/embed-events.ts';
import { embedText } from '../areas/papers/full-text/passages.ts';
import { digestPending } from '../areas/papers/sync/digest-papers.ts';
import { embedOwn } from '../areas/papers/sync/embed-own.ts';
import { listUnembeddedTexts } from '../areas/papers/sync/queries.ts';
import { dropPaperVectors } from '../areas/papers/sync/vectors-ingest.ts';
import { pause } from '../core/time.ts';
import type { Embedder } from '../embedding/embedder.ts';
import { whenFree } from '../store/busy.ts';
import {
  beginModelChange,
  endModelChange,
  modelChange,
  noteVectorsDropped,
  storedModel,
} from '../store/embedding-model.ts';

/** Pause between slices, for calls in other processes. */
const PAUSE_MS = 2;

interface Watch {
  signal: AbortSignal;
  onProgress(what: string, done: number, total: number | null): void;
}

/**
 * Makes all vectors of a store with another model. The former ones are dropped first, and nothing is
 * searched by vector until all are there, so that those of two models never meet. Each slice is a
 * transaction; if interrupted, the next call goes on.
 */
export async function changeModel(db: Database, embedder: Embedder, watch: Watch): Promise<void> {
  const { signal, onProgress } = watch;
  const { embed, stamp } = embedder;
  if (storedModel(db) !== stamp) beginModelChange(db, stamp);
  if (modelChange(db) === 'dropping') {
    for (const slices of [dropPaperVectors(db), dropEventVectors(db)]) {
      for (const slice of slices) {
        await whenFree(slice);
        await pause(PAUSE_MS, signal);
      }
    }
    noteVectorsDropped(db);
  }
  await embedOwn(db, embed, {
    signal,
    onProgress: (done) => onProgress('starter papers', done, null),
  });
  await embedEvents(db, embed, { signal, onProgress: (done) => onProgress('events', done, null) });
  await digestPending(db, embed, {
    signal,
    onProgress: (done, total) => onProgress('papers', done, total),
  });
  const texts = listUnembeddedTexts(db);
  for (const [done, id] of texts.entries()) {
    onProgress('full texts', done, texts.length);
    await embedText(db, id, embed, signal);
  }
  endModelChange(db);
}
