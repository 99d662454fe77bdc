import { createCapabilities } from './capabilities.ts';
import type { Config } from './config.ts';
import type { ReadingPolicy } from './core/context.ts';
import type { Caller } from './core/run.ts';
import type { QueryEmbedder } from './embedding/query-embedder.ts';
import type { MarketRefresh } from './market-refresh.ts';
import type { Shelf } from './shelf.ts';

/** One process's hold on the shelf: opened at the first call, closed once at the end. */
export interface Session {
  caller: Caller;
  shelf(): Promise<Shelf>;
  /** Vectors of texts for the store, or null while there is no model. */
  embedTexts(texts: readonly string[]): Promise<Float32Array[] | null>;
  /** Closes the upstreams, the model, then the store. Calls in flight must have ended. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /**
   * Refreshes old odds behind a call; a process that answers one call and ends has none, and does
   * nothing else behind it either.
   */
  marketRefresh?: (() => Promise<MarketRefresh>) | null;
  /** `personal` unless others are served, too. */
  policy?: ReadingPolicy;
}

/**
 * Nothing is opened or loaded here: the handshake must not wait for SQLite, and a process that
 * never searches must not pay for the model.
 */
export function createSession(
  config: Config,
  starterPath: string,
  log: (line: string) => void,
  options: SessionOptions = {},
): Session {
  let opening: Promise<Opened> | undefined;
  const stopping = new AbortController();
  const open = () => {
    opening ??= openAll(config, starterPath, log, options, stopping.signal).catch(
      (error: unknown) => {
        // The next call tries again: the disk may have room by then.
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const shelf = async () => (await open()).shelf;
  return {
    caller: { open: shelf, log },
    shelf,
    embedTexts: async (texts) => (await open()).embedder.embedTexts(texts),
    async close() {
      stopping.abort();
      const opened = await opening?.catch(() => undefined);
      await opened?.closeUpstreams();
      await opened?.embedder.close();
      await opened?.shelf.close();
    },
  };
}

interface Opened {
  shelf: Shelf;
  embedder: QueryEmbedder;
  closeUpstreams(): Promise<void>;
}

async function openAll(
  config: Config,
  starterPath: string,
  log: (line: string) => void,
  { marketRefresh = null, policy = 'personal' }: SessionOptions,
  stopping: AbortSignal,
): Promise<Opened> {
  const [{ openShelf }, { createQueryEmbedder }, { modelTools }] = await Promise.all([
    import('./shelf.ts'),
    import('./embedding/query-embedder.ts'),
    import('./model-tools.ts'),
  ]);
  const now = () => new Date();
  const upstreams = createCapabilities(
    config,
    log,
    (texts) => embedder.embedTexts(texts),
    (await marketRefresh?.()) ?? null,
  );
  const shelf = await openShelf(
    config,
    starterPath,
    {
      now,
      // The embedder needs the open store (which model made its vectors) and the store's context
      // needs the embedder: the door between them is this function.
      embedQuery: (text) => embedder.embedQuery(text),
      freshenPaper: upstreams.freshenPaper,
      freshenSeries: upstreams.freshenSeries,
      refreshMarkets: upstreams.refreshMarkets,
      policy,
    },
    log,
    stopping,
  );
  const model = modelTools(config);
  const embedder = createQueryEmbedder({
    ...model,
    // A download would die with a process that answers one call and ends.
    fetch: marketRefresh === null ? null : model.fetch,
    storedModel: shelf.model,
    now,
    log,
  });
  return { shelf, embedder, closeUpstreams: upstreams.close };
}
