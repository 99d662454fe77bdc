import type { QueryEmbedding } from '../core/context.ts';
import { describeError } from '../core/errors.ts';
import { createLruCache } from '../core/lru.ts';
import type { Embedder } from './embedder.ts';
import { MODEL_STAMP } from './model.ts';

/** `Files` is what `find` finds and `load` loads. */
export interface QueryEmbedderOptions<Files> {
  /** The model that the store's vectors come from; read for every query, since it may change. */
  stored: () => StoredModel;
  /** Whether the model can run on this platform. */
  supported: boolean;
  /**
   * An intact copy of the model with a stamp and of its runtime; null where they can be downloaded,
   * 'no runtime' where only the latter has to be, 'unknown' where no such model is on this machine. May
   * reject when there is only a damaged one.
   */
  find: (stamp: string | undefined) => Promise<Files | null | 'no runtime' | 'unknown'>;
  load: (files: Files) => Promise<Embedder>;
  /** Downloads what is missing; null when the network must not be used. */
  fetch: ((signal: AbortSignal) => Promise<unknown>) | null;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

export interface StoredModel {
  /** Undefined while the store holds no vectors. */
  stamp: string | undefined;
  /** The store is changing to this model, so that not all vectors are there. */
  isChanging: boolean;
}

export type QueryEmbedder = ReturnType<typeof createQueryEmbedder>;

/** Least time between attempts after a failed download or load. */
const RETRY_MS = 10 * 60_000;
/** How often to look for a model that may have been installed by hand. */
const LOOK_AGAIN_MS = 5_000;
/** Cached query vectors, 1.5 KB each. */
const REMEMBERED_QUERIES = 256;

const REMEDY = 'run `quantshelf model`, or see `quantshelf doctor`.';
const MODEL_NAME = 'the embedding model';
const RUNTIME_NAME = 'ONNX Runtime, which runs the embedding model,';
/** Why search is lexical only; `lacking` names what is to be downloaded. */
const unavailable = (lacking: string) => ({
  unsupported:
    'Lexical search only: ONNX Runtime, which runs the embedding model, has no build for this platform.',
  missing: `Lexical search only: ${lacking} is not on this machine; run \`quantshelf model\` once.`,
  fetching: `Lexical search only: ${lacking} is being downloaded in the background; later searches will use it.`,
  fetchFailed: `Lexical search only: ${lacking} could not be downloaded; ${REMEDY}`,
  loadFailed:
    'Lexical search only: the embedding model could not be loaded; see `quantshelf doctor`.',
  changing:
    'Lexical search only: the shelf is being embedded with another model; if that was interrupted, `quantshelf model --list` tells how to go on.',
  mismatch:
    'Lexical search only: the shelf was embedded with a model that is not on this machine; see `quantshelf model --list`.',
  closed: 'Lexical search only: QuantShelf is shutting down.',
});

type Reason = keyof ReturnType<typeof unavailable>;

/** Embeds queries with the store's model, which is downloaded and loaded on first use. */
export function createQueryEmbedder<Files>(options: QueryEmbedderOptions<Files>) {
  const { stored, supported, find, load, fetch, now, log } = options;
  const stopping = new AbortController();
  let recent = createLruCache<Float32Array>(REMEMBERED_QUERIES);
  let embedder: Embedder | undefined;
  let preparing: Promise<Reason | null> | undefined;
  let fetching: Promise<void> | undefined;
  /** Why there is no embedder, and until when to return that without checking again. */
  let verdict: { reason: Reason; until: number } | undefined;
  let fetchNotBefore = 0;
  let lacking = MODEL_NAME;
  let closing: Promise<void> | undefined;

  const decide = (reason: Reason, ms: number): Reason => {
    verdict = { reason, until: now().getTime() + ms };
    return reason;
  };

  /** Null when the embedder is ready, otherwise the reason. Concurrent calls share the work. */
  async function prepare(): Promise<Reason | null> {
    if (closing !== undefined) return 'closed';
    if (!supported) return 'unsupported';
    const { stamp, isChanging } = stored();
    if (isChanging) return 'changing';
    if (embedder !== undefined) {
      if (stamp === undefined || stamp === embedder.stamp) return null;
      releaseEmbedder();
    }
    if (fetching !== undefined) return 'fetching';
    if (verdict !== undefined && stands(verdict.until, now())) return verdict.reason;
    preparing ??= findAndLoad().finally(() => {
      preparing = undefined;
    });
    return preparing;
  }

  async function findAndLoad(): Promise<Reason | null> {
    try {
      const { stamp } = stored();
      const files = await find(stamp).catch((error: unknown) => {
        log(`model: ${describeError(error)}`);
        return null;
      });
      if (closing !== undefined) return 'closed';
      if (files === 'unknown') return decide('mismatch', LOOK_AGAIN_MS);
      if (files === null || files === 'no runtime') {
        lacking = files === null ? MODEL_NAME : RUNTIME_NAME;
        return startFetching();
      }
      embedder = await load(files);
      verdict = undefined;
      if (stamp === undefined || embedder.stamp === stamp) return null;
      releaseEmbedder();
      return decide('mismatch', LOOK_AGAIN_MS);
    } catch (error) {
      log(`model: ${describeError(error)}`);
      return decide('loadFailed', RETRY_MS);
    }
  }

  /** The store has changed to another model. */
  function releaseEmbedder(): void {
    embedder?.close().catch((error: unknown) => log(`model: ${describeError(error)}`));
    embedder = undefined;
    recent = createLruCache<Float32Array>(REMEMBERED_QUERIES);
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

  function named(vector: Float32Array): QueryEmbedding {
    const isOtherModel = embedder !== undefined && embedder.stamp !== MODEL_STAMP;
    return isOtherModel ? { vector, isOtherModel } : { vector };
  }

  return {
    /** Never rejects. Callers must not modify the vector: it is cached. */
    async embedQuery(text: string): Promise<QueryEmbedding> {
      const reason = await prepare();
      const known = reason === null ? recent.get(text) : undefined;
      if (known !== undefined) return named(known);
      if (reason !== null || embedder === undefined) {
        return { unavailable: unavailable(lacking)[reason ?? 'closed'] };
      }
      try {
        const cache = recent;
        const [vector] = await embedder.embed([text], 'query');
        if (vector === undefined) throw new Error('the model gave no vector');
        cache.set(text, vector);
        return named(vector);
      } catch (error) {
        if (closing !== undefined) return { unavailable: unavailable(lacking).closed };
        log(`model: ${describeError(error)}`);
        return { unavailable: unavailable(lacking).loadFailed };
      }
    },
    /** Whether the model's vocabulary holds a word in lower case; false while there is no model. */
    async isWord(word: string): Promise<boolean> {
      const reason = await prepare();
      return reason === null && embedder?.isWord(word) === true;
    },
    /** One vector per text, for documents rather than queries; null while there is no model. */
    async embedTexts(texts: readonly string[]): Promise<Float32Array[] | null> {
      const reason = await prepare();
      if (reason !== null || embedder === undefined) return null;
      const { stamp } = embedder;
      const vectors = await embedder.embed(texts);
      const { stamp: wanted = stamp, isChanging } = stored();
      return wanted === stamp && !isChanging ? vectors : null;
    },
    /** Aborts a download, waits for running work and frees the model. */
    close(): Promise<void> {
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
