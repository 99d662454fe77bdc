import type { Database } from 'better-sqlite3';
import type { PaperReader } from './areas/papers/reader.ts';
import type { Config } from './config.ts';
import type { Context, Freshened } from './core/context.ts';
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
 * never searches must not pay for the model.
 */
export function createSession(
  config: Config,
  starterPath: string,
  log: (line: string) => void,
): Session {
  let opening: Promise<Opened> | undefined;
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
  stopping: AbortSignal,
): Promise<Opened> {
  const [{ openShelf }, { createQueryEmbedder }, { modelTools }] = await Promise.all([
    import('./shelf.ts'),
    import('./embedding/query-embedder.ts'),
    import('./model-tools.ts'),
  ]);
  const now = () => new Date();
  const upstreams = lazyUpstreams(config, log, (texts) => embedder.embedTexts(texts));
  const shelf = await openShelf(
    config,
    starterPath,
    {
      now,
      // The embedder needs the open store (which model made its vectors) and the store's context
      // needs the embedder: the door between them is this function.
      embedQuery: (text) => embedder.embedQuery(text),
      freshenPaper: upstreams.freshenPaper,
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

/** The capabilities that fetch; nothing of them is loaded before one is needed. */
function lazyUpstreams(
  config: Config,
  log: (line: string) => void,
  embed: (texts: readonly string[]) => Promise<Float32Array[] | null>,
) {
  let opening: Promise<{ reader: PaperReader; close(): Promise<void> }> | undefined;
  const open = async (db: Database) => {
    const [{ openArxiv, OF_A_CALL }, { createPaperReader }] = await Promise.all([
      import('./arxiv-tools.ts'),
      import('./areas/papers/reader.ts'),
    ]);
    const arxiv = openArxiv(config, db, OF_A_CALL);
    const reader = createPaperReader({ ...arxiv, db, embed, now: () => new Date(), log });
    return {
      reader,
      async close() {
        await reader.close();
        await arxiv.close();
      },
    };
  };
  return {
    async freshenPaper(
      db: Database,
      ...[cardId, wait, report]: Parameters<Context['freshenPaper']>
    ): Promise<Freshened> {
      if (config.offline) return 'offline';
      opening ??= open(db);
      const { reader } = await opening;
      const { late } = await reader.freshen(cardId, wait, report);
      return late ? 'late' : 'done';
    },
    async close() {
      const opened = await opening;
      await opened?.close();
    },
  };
}
