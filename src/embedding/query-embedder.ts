import type { QueryEmbedding } from '../core/context.ts';
import { describeError } from '../core/errors.ts';
import { createLruCache } from '../core/lru.ts';
import type { Embedder } from './embedder.ts';
import { MODEL_STAMP } from './model.ts';

/** `Files` is what `find` finds and `load` loads. */
export interface QueryEmbedderOptions<Files> {
  /** Stamp of the model that made the store's vectors; undefined while it holds none. */
  stored: () => string | undefined;
  /** Whether the model can run on this platform. */
  supported: boolean;
  /**
   * Intact copies of the model and of its runtime; null where they have to be downloaded, 'no runtime'
   * where only the latter has to be. May reject when there is only a damaged one.
   */
  find: () => Promise<Files | null | 'no runtime'>;
  load: (files: Files) => Promise<Embedder>;
  /** Downloads what is missing; null when the network must not be used. */
  fetch: ((signal: AbortSignal) => Promise<unknown>) | null;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
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
  mismatch:
    'Lexical search only: another version of QuantShelf, with another model, made the vectors of this shelf; upgrade with `npx -y quantshelf@latest`.',
  closed: 'Lexical search only: QuantShelf is shutting down.',
});

type Reason = keyof ReturnType<typeof unavailable>;

/** Embeds queries with the store's model, which is downloaded and loaded on first use. */
export function createQueryEmbedder<Files>(options: QueryEmbedderOptions<Files>) {
  const { stored, supported, find, load, fetch, now, log } = options;
  const stopping = new AbortController();
  const recent = createLruCache<Float32Array>(REMEMBERED_QUERIES);
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
    if ((stored() ?? MODEL_STAMP) !== MODEL_STAMP) return 'mismatch';
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
      if (files === null || files === 'no runtime') {
        lacking = files === null ? MODEL_NAME : RUNTIME_NAME;
        return startFetching();
      }
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
    /** Never rejects. Callers must not modify the vector: it is cached. */
    async embedQuery(text: string): Promise<QueryEmbedding> {
      const reason = await prepare();
      const cached = reason === null ? recent.get(text) : undefined;
      if (cached !== undefined) return { vector: cached };
      if (reason !== null || embedder === undefined) {
        return { unavailable: unavailable(lacking)[reason ?? 'closed'] };
      }
      try {
        const [vector] = await embedder.embed([text]);
        if (vector === undefined) throw new Error('the model gave no vector');
        recent.set(text, vector);
        return { vector };
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
    /** One vector per text; null while there is no model. */
    async embedTexts(texts: readonly string[]): Promise<Float32Array[] | null> {
      const reason = await prepare();
      return reason === null && embedder !== undefined ? embedder.embed(texts) : null;
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
