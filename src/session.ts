import type { Config } from './config.ts';
import type { Caller } from './core/run.ts';
import type { QueryEmbedder } from './embedding/query-embedder.ts';
import type { Shelf } from './shelf.ts';

/** One process's hold on the shelf: opened at the first call, closed once at the end. */
export interface Session {
  caller: Caller;
  shelf(): Promise<Shelf>;
  /** Closes the model, then the store. Calls in flight must have ended. */
  close(): Promise<void>;
}

/**
 * Nothing is opened or loaded here: the handshake must not wait for SQLite, and a process that
 * never searches must not pay for the model.
 */
export function createSession(
  config: Config,
  starterPath: string,
  log: (line: string) => void,
): Session {
  let opening: Promise<{ shelf: Shelf; embedder: QueryEmbedder }> | undefined;
  const stopping = new AbortController();
  const open = () => {
    opening ??= openAll(config, starterPath, log, stopping.signal).catch((error: unknown) => {
      // The next call tries again: the disk may have room by then.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const shelf = async () => (await open()).shelf;
  return {
    caller: { open: shelf, log },
    shelf,
    async close() {
      stopping.abort();
      const opened = await opening?.catch(() => undefined);
      await opened?.embedder.close();
      opened?.shelf.close();
    },
  };
}

async function openAll(
  config: Config,
  starterPath: string,
  log: (line: string) => void,
  stopping: AbortSignal,
) {
  const [{ openShelf }, { createQueryEmbedder }, { modelTools }] = await Promise.all([
    import('./shelf.ts'),
    import('./embedding/query-embedder.ts'),
    import('./model-tools.ts'),
  ]);
  const now = () => new Date();
  const shelf = await openShelf(
    config,
    starterPath,
    {
      now,
      // The embedder needs the open store (which model made its vectors) and the store's context
      // needs the embedder: the door between them is this function.
      embedQuery: (text) => embedder.embedQuery(text),
    },
    stopping,
  );
  const embedder = createQueryEmbedder({
    ...modelTools(config),
    storedModel: shelf.model,
    now,
    log,
  });
  return { shelf, embedder };
}
