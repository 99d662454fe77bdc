import type { QueryEmbedding } from '../core/context.ts';
import { createLruCache } from '../core/lru.ts';
import type { Embedder } from './embedder.ts';
import { MODEL_STAMP } from './model.ts';

export interface QueryEmbedderOptions {
  /** Stamp of the model that the store's vectors came from; undefined while it holds none. */
  storedModel: string | undefined;
  /** Stamp of the model that `load` loads; ours, if not given. */
  stamp?: string;
  /** Directory of a sound copy, or null; may reject when there is only a wrong one. */
  find: () => Promise<string | null>;
  load: (directory: string) => Promise<Embedder>;
  /** Brings the model here, or null where the network is not to be touched. */
  fetch: ((signal: AbortSignal) => Promise<unknown>) | null;
  now: () => Date;
  /** For the cause of a failure; never stdout. */
  log: (line: string) => void;
}

export type QueryEmbedderState =
  | 'idle'
  | 'loading'
  | 'ready'
  | 'fetching'
  | 'missing'
  | 'failed'
  | 'mismatch'
  | 'closed';

/** Embeds queries with the store's model, fetching and loading it when first asked. */
export interface QueryEmbedder {
  /** Never rejects. The vector is shared with later calls and must not be changed. */
  embedQuery(text: string): Promise<QueryEmbedding>;
  /** Vectors of texts that are no queries, one per text; null where there is no model for now. */
  embedTexts(texts: readonly string[]): Promise<Float32Array[] | null>;
  status(): QueryEmbedderState;
  /** Stops a download, waits for what is under way and frees the model. */
  close(): Promise<void>;
}

/** After a failed fetch or load, the next one begins no sooner than this. */
const RETRY_MS = 10 * 60_000;
/** A model that was not there may since have been put there by hand: looked for again after this. */
const LOOK_AGAIN_MS = 5_000;
/** Vectors of recent queries that are kept; 1.5 KB each. */
const REMEMBERED_QUERIES = 256;

const MEND = 'Fetch it with `quantshelf model`, or see `quantshelf doctor`.';
const UNAVAILABLE = {
  missing:
    'Search ran on words alone: the embedding model is not on this machine; fetch it once with `quantshelf model`.',
  fetching:
    'Search ran on words alone: the embedding model is being fetched in the background; later searches will use it.',
  fetchFailed: `Search ran on words alone: the embedding model could not be fetched. ${MEND}`,
  loadFailed:
    'Search ran on words alone: the embedding model could not be loaded; see `quantshelf doctor`.',
  mismatch:
    'Search ran on words alone: the shelf was embedded with another model than this version of QuantShelf uses.',
  closed: 'Search ran on words alone: QuantShelf is shutting down.',
} as const;

type Reason = keyof typeof UNAVAILABLE;

export function createQueryEmbedder(options: QueryEmbedderOptions): QueryEmbedder {
  const { storedModel, stamp = MODEL_STAMP, find, load, fetch, now, log } = options;
  const stopping = new AbortController();
  const recent = createLruCache<Float32Array>(REMEMBERED_QUERIES);
  let embedder: Embedder | undefined;
  let preparing: Promise<Reason | null> | undefined;
  let fetching: Promise<void> | undefined;
  /** Why there is no embedder, and until when that answer stands without another look. */
  let verdict: { reason: Reason; until: number } | undefined;
  let fetchNotBefore = 0;
  let closing: Promise<void> | undefined;

  const decide = (reason: Reason, ms: number): Reason => {
    verdict = { reason, until: now().getTime() + ms };
    return reason;
  };

  /** Null when the embedder is there, else why it is not. Calls at the same time share the work. */
  async function prepare(): Promise<Reason | null> {
    if (closing !== undefined) return 'closed';
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
      const directory = await find().catch((error: unknown) => {
        log(`model: ${describe(error)}`);
        return null;
      });
      if (closing !== undefined) return 'closed';
      if (directory === null) return startFetching();
      embedder = await load(directory);
      verdict = undefined;
      return null;
    } catch (error) {
      log(`model: ${describe(error)}`);
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
          log(`model: ${describe(error)}`);
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
        log(`model: ${describe(error)}`);
        return { unavailable: UNAVAILABLE.loadFailed };
      }
    },
    async embedTexts(texts) {
      const reason = await prepare();
      return reason !== null || embedder === undefined ? null : embedder.embed(texts);
    },
    status() {
      if (closing !== undefined) return 'closed';
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

/** A clock that was set back must not keep an answer standing for longer than it was meant to. */
function stands(until: number, now: Date): boolean {
  const left = until - now.getTime();
  return left > 0 && left <= RETRY_MS;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
