import { createCapabilities } from './capabilities.ts';
import { type Config, syncLockPath } from './config.ts';
import type { Caller } from './core/run.ts';
import type { QueryEmbedder } from './embedding/query-embedder.ts';
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

/**
 * Nothing is opened or loaded here: the handshake must not wait for SQLite, and a process that
 * never searches must not pay for the model. `program` is the script of the command, for a refresh
 * of the markets in a process of its own; null where the process has no background.
 */
export function createSession(
  config: Config,
  starterPath: string,
  log: (line: string) => void,
  program: string | null = null,
): Session {
  let opening: Promise<Opened> | undefined;
  const stopping = new AbortController();
  const open = () => {
    opening ??= openAll(config, starterPath, log, program, stopping.signal).catch(
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
      opened?.shelf.close();
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
  program: string | null,
  stopping: AbortSignal,
): Promise<Opened> {
  const [{ openShelf }, { createQueryEmbedder }, { modelTools }, { createMarketRefresh }] =
    await Promise.all([
      import('./shelf.ts'),
      import('./embedding/query-embedder.ts'),
      import('./model-tools.ts'),
      import('./market-refresh.ts'),
    ]);
  const now = () => new Date();
  const lockPath = syncLockPath(config.home, 'markets');
  const upstreams = createCapabilities(
    config,
    log,
    (texts) => embedder.embedTexts(texts),
    program === null ? null : createMarketRefresh(program, lockPath, now, log),
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
      policy: 'personal',
    },
    stopping,
  );
  const embedder = createQueryEmbedder({
    ...modelTools(config),
    storedModel: shelf.model,
    now,
    log,
  });
  return { shelf, embedder, closeUpstreams: upstreams.close };
}
