import type { MacroRefresher } from '../areas/macro/refresh.ts';
import type { EventRefresher } from '../areas/markets/event-refresh.ts';
import { createMarketRefresher } from '../areas/markets/refresh.ts';
import { hideOwnPapers } from '../areas/papers/own-hidden.ts';
import type { PaperRefresher } from '../areas/papers/refresh.ts';
import type { VectorQueue } from '../areas/papers/vector-queue.ts';
import { type Config, storePath, syncLockPath } from '../config.ts';
import type { Context, Freshened, NOT_FETCHED, ReadingPolicy } from '../core/context.ts';
import type { OpenShelf } from '../core/run.ts';
import type { WaitResult } from '../core/shared-jobs.ts';
import { createQueryEmbedder } from '../embedding/query-embedder.ts';
import { writeForCall } from '../store/connection.ts';
import { storedModel } from '../store/state.ts';
import { COMMAND_PATH, STARTER_PATH } from './built.ts';
import type { Online, RefresherOptions } from './clients.ts';
import { modelDependencies } from './model-download.ts';
import { renewStarter } from './starter.ts';
import { openStore, type Store } from './store.ts';

/** The context and paying account for operations, and the store for commands. */
export interface App extends OpenShelf, Pick<Store, 'db' | 'writer' | 'file'> {
  /** Safe only while no operation is running. */
  close(): Promise<void>;
}

const NO_EXTENSION =
  'Lexical search only: sqlite-vec, an SQLite extension, cannot be loaded here; see `quantshelf doctor`.';

export interface AppOptions {
  /** A `server` downloads the model and refreshes old data in the background; a `one-shot` process does not. */
  mode: 'server' | 'one-shot';
  /** `personal` by default. */
  policy?: ReadingPolicy;
  /** Store that a new home starts from; by default, the one in the build. */
  starterPath?: string;
  log(line: string): void;
}

/**
 * Opens the store, then everything that depends on it. Throws `service_unavailable` with a remedy. Aborting
 * `signal` ends the wait for another process that is installing the store.
 */
export async function openApp(
  config: Config,
  { mode, policy = 'personal', starterPath = STARTER_PATH, log }: AppOptions,
  signal: AbortSignal,
): Promise<App> {
  const now = () => new Date();
  const stopping = new AbortController();
  /** Closers in the order of opening, called in reverse. */
  const opened: (() => unknown)[] = [];

  const { hasVectorSearch, close, ...store } = await openStore(config, {
    starterPath,
    now,
    log,
    signal,
  });
  const { db, writer } = store;
  opened.push(close);
  if (policy === 'licensed') writeForCall(db, () => hideOwnPapers(db));

  const isReadOnly = writer.readonly;
  if (!isReadOnly) {
    const renewal = renewStarter(storePath(config.home), starterPath, stopping.signal).catch(
      (error: unknown) => {
        if (!stopping.signal.aborted)
          log(
            `The bundled data was not updated: ${String(error)}. Run \`quantshelf doctor\` to check the installation.`,
          );
      },
    );
    opened.push(() => renewal);
  }

  const dependencies = modelDependencies(config, mode);
  const embedder = createQueryEmbedder({
    ...dependencies,
    stored: () => storedModel(db),
    now,
    log,
  });
  opened.push(embedder.close);

  let queue: Promise<VectorQueue> | undefined;
  // A one-shot process would end before the vectors are computed; the next server computes them.
  const withQueue = (use: (vectors: VectorQueue) => void) => {
    if (mode === 'one-shot' || isReadOnly) return;
    queue ??= import('../areas/papers/vector-queue.ts').then(({ createVectorQueue }) =>
      createVectorQueue(writer, embedder.embedTexts, log),
    );
    queue.then(use).catch((error: unknown) => log(`papers: ${String(error)}`));
  };
  const embedLater = () => withQueue((vectors) => vectors.wake());
  opened.push(async () => (await queue)?.close());

  const refreshers = isReadOnly
    ? refuseAll('read_only', config.offline)
    : createRefreshers({ config, mode, db: writer, embedLater, now, log });
  const { close: closeRefreshers, ...fetching } = refreshers;
  opened.push(closeRefreshers);

  const embedQuery = async (text: string) => {
    if (!hasVectorSearch) return { unavailable: NO_EXTENSION };
    const embedding = await embedder.embedQuery(text);
    if ('vector' in embedding) withQueue((vectors) => vectors.resume());
    return embedding;
  };
  const topics = new Set<string>();
  const isFirst = (topic: string) => !topics.has(topic) && topics.add(topic).has(topic);
  return {
    ...store,
    context: { db, now, policy, embedQuery, isWord: embedder.isWord, isFirst, ...fetching },
    home: config.home,
    async close() {
      // A one-shot process finishes renewing the starter data; a server leaves the rest to its next start.
      if (mode === 'server') stopping.abort();
      const faults: unknown[] = [];
      for (const closeOne of opened.toReversed()) {
        await Promise.resolve()
          .then(closeOne)
          .catch((fault: unknown) => faults.push(fault));
      }
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** The part of the context that uses the network. `close` aborts running refreshes. */
type Refreshers = Pick<
  Context,
  'addPaper' | 'freshenPaper' | 'freshenSeries' | 'freshenEvent' | 'refreshMarkets' | 'isOffline'
> & { close(): Promise<void> };

/** Creates refreshers, each of which loads the code for its upstreams on first use. */
export function createRefreshers(options: RefresherOptions): Refreshers {
  if (options.config.offline) return refuseAll('offline');
  const { mode } = options;
  const lockPath = syncLockPath(options.config.home, 'markets');
  const markets =
    mode === 'server'
      ? createMarketRefresher({ ...options, command: COMMAND_PATH, lockPath })
      : null;
  let papers: Promise<Online<PaperRefresher>> | undefined;
  let macro: Promise<Online<MacroRefresher>> | undefined;
  let events: Promise<Online<EventRefresher>> | undefined;
  const toFreshened = (result: WaitResult): Freshened =>
    result === 'pending' && mode === 'one-shot' ? 'timed_out' : result;
  const reader = async () => {
    papers ??= import('./papers-online.ts').then(({ openPapers }) => openPapers(options));
    return (await papers).refresher;
  };
  return {
    async addPaper(arxivId, report, signal) {
      return toFreshened(await (await reader()).add(arxivId, report, signal));
    },
    async freshenPaper(cardId, wait, report, signal) {
      const refresher = await reader();
      const waits = wait || mode === 'one-shot';
      return toFreshened(await refresher.freshen(cardId, waits, report, signal));
    },
    async freshenSeries(seriesId, signal) {
      macro ??= import('./macro-online.ts').then(({ openMacro }) => openMacro(options));
      const result = await (await macro).refresher.freshen(seriesId, signal);
      return result === 'no_key' || result === 'bad_key' ? result : toFreshened(result);
    },
    async freshenEvent(id, signal) {
      if (mode === 'one-shot') return 'off';
      events ??= import('./markets-online.ts').then(({ openEvents }) => openEvents(options));
      return (await events).refresher.freshen(id, signal);
    },
    refreshMarkets: (ids) => markets?.request(ids) ?? null,
    async close() {
      markets?.close();
      const opened = [papers, macro, events].map((opening) => opening?.catch(() => null));
      await Promise.all(opened.map(async (each) => (await each)?.close()));
    },
  };
}

function refuseAll(reason: keyof typeof NOT_FETCHED, isOffline = reason === 'offline'): Refreshers {
  return {
    isOffline,
    addPaper: async () => reason,
    freshenPaper: async () => reason,
    freshenSeries: async () => reason,
    freshenEvent: async () => reason,
    refreshMarkets: () => reason,
    close: async () => {},
  };
}
