import type { QueryEmbedding } from '../core/context.ts';
import { describeError } from '../core/errors.ts';
import { createLruCache } from '../core/lru.ts';
import type { Embedder } from './embedder.ts';
import { MODEL_STAMP } from './model.ts';

/** `Files` is what `find` finds and `load` loads. */
export interface QueryEmbedderOptions<Files> {
  /** Stamp of the model that the store's vectors came from; undefined while it holds none. */
  storedModel: string | undefined;
  /** Stamp of the model that `load` loads; ours, if not given. */
  stamp?: string;
  /** Whether the model can run on this platform. */
  supported: boolean;
  /** An intact copy of the model and its runtime, or null; may reject when there is only a damaged one. */
  find: () => Promise<Files | null>;
  load: (files: Files) => Promise<Embedder>;
  /** Downloads what is missing; null when the network must not be used. */
  fetch: ((signal: AbortSignal) => Promise<unknown>) | null;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

export type QueryEmbedderState =
  | 'unsupported'
  | 'idle'
  | 'loading'
  | 'ready'
  | 'fetching'
  | 'missing'
  | 'failed'
  | 'mismatch'
  | 'closed';

/** Embeds queries with the store's model, which is downloaded and loaded on first use. */
export interface QueryEmbedder {
  /** Never rejects. Callers must not modify the vector: it is cached. */
  embedQuery(text: string): Promise<QueryEmbedding>;
  /** Whether the model's vocabulary holds a word in lower case; false while there is no model. */
  isWord(word: string): Promise<boolean>;
  /** One vector per text, for documents rather than queries; null while there is no model. */
  embedTexts(texts: readonly string[]): Promise<Float32Array[] | null>;
  status(): QueryEmbedderState;
  /** Aborts a download, waits for running work and frees the model. */
  close(): Promise<void>;
}

/** Least time between attempts after a failed download or load. */
const RETRY_MS = 10 * 60_000;
/** How often to look for a model that may have been installed by hand. */
const LOOK_AGAIN_MS = 5_000;
/** Cached query vectors, 1.5 KB each. */
const REMEMBERED_QUERIES = 256;

const REMEDY = 'run `quantshelf model`, or see `quantshelf doctor`.';
const UNAVAILABLE = {
  unsupported:
    'Lexical search only: ONNX Runtime, which runs the embedding model, has no build for this platform.',
  missing:
    'Lexical search only: the embedding model is not on this machine; run `quantshelf model` once.',
  fetching:
    'Lexical search only: the embedding model is being downloaded in the background; later searches will use it.',
  fetchFailed: `Lexical search only: the embedding model could not be downloaded; ${REMEDY}`,
  loadFailed:
    'Lexical search only: the embedding model could not be loaded; see `quantshelf doctor`.',
  mismatch:
    'Lexical search only: the shelf was embedded with a different model than this version of QuantShelf uses.',
  closed: 'Lexical search only: QuantShelf is shutting down.',
} as const;

type Reason = keyof typeof UNAVAILABLE;

export function createQueryEmbedder<Files>(options: QueryEmbedderOptions<Files>): QueryEmbedder {
  const { storedModel, stamp = MODEL_STAMP, supported, find, load, fetch, now, log } = options;
  const stopping = new AbortController();
  const recent = createLruCache<Float32Array>(REMEMBERED_QUERIES);
  let embedder: Embedder | undefined;
  let preparing: Promise<Reason | null> | undefined;
  let fetching: Promise<void> | undefined;
  /** Why there is no embedder, and until when to return that without checking again. */
  let verdict: { reason: Reason; until: number } | undefined;
  let fetchNotBefore = 0;
  let closing: Promise<void> | undefined;

  const decide = (reason: Reason, ms: number): Reason => {
    verdict = { reason, until: now().getTime() + ms };
    return reason;
  };

  /** Null when the embedder is ready, otherwise the reason. Concurrent calls share the work. */
  async function prepare(): Promise<Reason | null> {
    if (closing !== undefined) return 'closed';
    if (!supported) return 'unsupported';
    if (storedModel !== undefined && storedModel !== stamp) return 'mismatch';
    if (embedder !== undefined) return null;
    if (fetching !== undefined) return 'fetching';
    if (verdict !== undefined && stands(verdict.until, now())) return verdict.reason;
    preparing ??= findAndLoad().finally(() => {
      preparing = undefined;
    });
    return preparing;
  }

  async function findAndLoad(): Promise<Reason | null> {
    try {
      const files = await find().catch((error: unknown) => {
        log(`model: ${describeError(error)}`);
        return null;
      });
      if (closing !== undefined) return 'closed';
      if (files === null) return startFetching();
      embedder = await load(files);
      verdict = undefined;
      return null;
    } catch (error) {
      log(`model: ${describeError(error)}`);
      return decide('loadFailed', RETRY_MS);
    }
  }

  function startFetching(): Reason {
    if (fetch === null) return decide('missing', LOOK_AGAIN_MS);
    if (stands(fetchNotBefore, now())) return decide('fetchFailed', LOOK_AGAIN_MS);
    fetching = fetch(stopping.signal)
      .then(
        () => {
          verdict = undefined;
        },
        (error: unknown) => {
          if (stopping.signal.aborted) return;
          log(`model: ${describeError(error)}`);
          fetchNotBefore = now().getTime() + RETRY_MS;
          decide('fetchFailed', LOOK_AGAIN_MS);
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
    async embedQuery(text) {
      const known = recent.get(text);
      if (known !== undefined) return { vector: known };
      const reason = await prepare();
      if (reason !== null || embedder === undefined) {
        return { unavailable: UNAVAILABLE[reason ?? 'closed'] };
      }
      try {
        const [vector] = await embedder.embed([text]);
        if (vector === undefined) throw new Error('the model gave no vector');
        recent.set(text, vector);
        return { vector };
      } catch (error) {
        if (closing !== undefined) return { unavailable: UNAVAILABLE.closed };
        log(`model: ${describeError(error)}`);
        return { unavailable: UNAVAILABLE.loadFailed };
      }
    },
    async isWord(word) {
      const reason = await prepare();
      return reason === null && embedder?.isWord(word) === true;
    },
    async embedTexts(texts) {
      const reason = await prepare();
      return reason !== null || embedder === undefined ? null : embedder.embed(texts);
    },
    status() {
      if (closing !== undefined) return 'closed';
      if (!supported) return 'unsupported';
      if (storedModel !== undefined && storedModel !== stamp) return 'mismatch';
      if (embedder !== undefined) return 'ready';
      if (fetching !== undefined) return 'fetching';
      if (preparing !== undefined) return 'loading';
      if (verdict === undefined) return 'idle';
      return verdict.reason === 'missing' ? 'missing' : 'failed';
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Bounded by RETRY_MS, so that a clock set back does not prolong the wait. */
function stands(until: number, now: Date): boolean {
  const left = until - now.getTime();
  return left > 0 && left <= RETRY_MS;
}
