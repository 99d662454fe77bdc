import { goOnline, type QueryEmbedding } from '../core/context.ts';
import { describeError } from '../core/errors.ts';
import type { Embedder } from './embedder.ts';
import { MODEL_STAMP, PLATFORM_FAULT } from './pinned.ts';

/** `Files` is what `find` returns and `load` takes. */
export interface QueryEmbedderOptions<Files> {
  /** Stamp of the model that computed the store's vectors; undefined if there are none. */
  stored: () => string | undefined;
  /** Finds intact copies of the model and of its runtime; null unless both exist. May reject for a damaged one. */
  find: () => Promise<Files | null>;
  load: (files: Files) => Promise<Embedder>;
  /** Downloads missing parts; null if the network must not be used. */
  fetch: ((signal: AbortSignal) => Promise<unknown>) | null;
  isOffline?: boolean;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

/** Minimum time between attempts after a failed download or load. */
const RETRY_MS = 10 * 60_000;
/** Minimum time between two searches for a copy of the model, each of which may read and hash over 55 MB. */
const LOOK_AGAIN_MS = 5_000;

const reasonsWhen = (isOffline?: boolean) => ({
  unsupported: 'ONNX Runtime, which runs the embedding model, has no build for this platform.',
  missing: `the embedding model or its runtime is not on this machine; ${goOnline(isOffline)}run \`quantshelf model\` once.`,
  fetching:
    'the embedding model is being downloaded in the background; later searches will use it.',
  fetchFailed:
    'the embedding model could not be downloaded; run `quantshelf model`, or see `quantshelf doctor`.',
  loadFailed: 'the embedding model could not be loaded; see `quantshelf doctor`.',
  mismatch:
    "this shelf's vectors came from the model of another version of QuantShelf: if that version is newer, upgrade with `npx -y quantshelf@latest`; if it is older, move quantshelf.sqlite away, and the next call creates a new shelf.",
  closed: 'QuantShelf is shutting down.',
});

type Reason = keyof ReturnType<typeof reasonsWhen>;

/** Creates an embedder that downloads and loads the store's model on first use. */
export function createQueryEmbedder<Files>(options: QueryEmbedderOptions<Files>) {
  const { stored, find, load, fetch, now, log } = options;
  const stopping = new AbortController();
  let embedder: Embedder | undefined;
  let preparing: Promise<Embedder | Reason> | undefined;
  let fetching: Promise<void> | undefined;
  let notFoundAt = Number.NEGATIVE_INFINITY;
  let fetchFailedAt = Number.NEGATIVE_INFINITY;
  let loadFailedAt = Number.NEGATIVE_INFINITY;
  let closing: Promise<void> | undefined;

  const logFailure = (error: unknown) => log(`model: ${describeError(error)}`);
  const isWithin = (ms: number, at: number) => Math.abs(now().getTime() - at) < ms;

  /** The embedder, or why there is none. Concurrent calls share the work. */
  async function prepare(): Promise<Embedder | Reason> {
    if (closing !== undefined) return 'closed';
    if (PLATFORM_FAULT !== null) return 'unsupported';
    if ((stored() ?? MODEL_STAMP) !== MODEL_STAMP) return 'mismatch';
    if (embedder !== undefined) return embedder;
    if (fetching !== undefined) return 'fetching';
    if (isWithin(RETRY_MS, loadFailedAt)) return 'loadFailed';
    if (isWithin(LOOK_AGAIN_MS, notFoundAt)) return startFetching();
    preparing ??= findAndLoad().finally(() => {
      preparing = undefined;
    });
    return preparing;
  }

  async function findAndLoad(): Promise<Embedder | Reason> {
    const files = await find().catch((error: unknown) => {
      logFailure(error);
      return null;
    });
    if (closing !== undefined) return 'closed';
    if (files === null) {
      notFoundAt = now().getTime();
      return startFetching();
    }
    try {
      embedder = await load(files);
      return embedder;
    } catch (error) {
      logFailure(error);
      loadFailedAt = now().getTime();
      return 'loadFailed';
    }
  }

  function startFetching(): Reason {
    if (fetch === null) return 'missing';
    if (isWithin(RETRY_MS, fetchFailedAt)) return 'fetchFailed';
    fetching = fetch(stopping.signal)
      .then(
        () => {
          notFoundAt = Number.NEGATIVE_INFINITY;
        },
        (error: unknown) => {
          if (stopping.signal.aborted) return;
          logFailure(error);
          fetchFailedAt = now().getTime();
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    return 'fetching';
  }

  async function closeAll(): Promise<void> {
    stopping.abort();
    await preparing;
    await fetching;
    await embedder?.close();
  }

  return {
    /** Never rejects. */
    async embedQuery(text: string): Promise<QueryEmbedding> {
      const unavailable = (reason: Reason) => ({
        unavailable: `Lexical search only: ${reasonsWhen(options.isOffline)[reason]}`,
      });
      const ready = await prepare();
      if (typeof ready === 'string') return unavailable(ready);
      try {
        const [vector] = await ready.embed([text]);
        if (vector === undefined) throw new Error('the model returned no vector');
        return { vector };
      } catch (error) {
        if (closing !== undefined) return unavailable('closed');
        logFailure(error);
        return unavailable('loadFailed');
      }
    },
    /** Whether the model's vocabulary contains a lower-case word; false if there is no model. */
    async isWord(word: string): Promise<boolean> {
      const ready = await prepare();
      return typeof ready !== 'string' && ready.isWord(word);
    },
    /** One vector per text; null if there is no model. */
    async embedTexts(texts: readonly string[]): Promise<Float32Array[] | null> {
      const ready = await prepare();
      return typeof ready === 'string' ? null : ready.embed(texts);
    },
    /** Aborts a download, waits for running work and frees the model. */
    close(): Promise<void> {
      closing ??= closeAll();
      return closing;
    },
  };
}
