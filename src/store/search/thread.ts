import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { type Hit, type SearchQuery, searchHere } from './search-here.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * A thread for the searches of a large index, which may hold a thread for 20 ms and more: other
 * calls go on meanwhile. It reads the same file through a connection of its own and keeps the vectors.
 */
export interface SearchThread {
  /** Indexes of so many cards and more are searched in it. */
  readonly from: number;
  search(index: SearchIndex, query: SearchQuery): Promise<readonly Hit[]>;
  /** Ends the thread; a search under way rejects. */
  close(): Promise<void>;
}

export interface SearchThreadOptions {
  /** The built `thread-program.ts`. */
  program: URL;
  /** For the cause of a failure; never stdout. */
  log: (line: string) => void;
  from?: number;
}

/** Below, hardly a search takes 20 ms, the vectors once read. */
const LARGE = 100_000;

/** The store that the thread is to read. */
export interface Store {
  path: string;
  /** `fileAt` its path when the connection was opened: another may lie there by now. */
  file: string;
}

/** Which file lies at a path. */
export function fileAt(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** What the thread is asked; `index` comes with the first question about it. */
export interface Asked {
  number: number;
  name: string;
  index?: SearchIndex;
  query: SearchQuery;
}

/** What it answers: hits, or why there are none. */
export type Answered = { number: number } & (
  | { hits: readonly Hit[] }
  | { message: string; code?: string }
);

const threads = new WeakMap<Database, SearchThread>();

/** The thread of a connection, if it has one. */
export function threadOf(db: Database): SearchThread | undefined {
  return threads.get(db);
}

/** Gives a connection a search thread, which begins with the first search that needs it. */
export function openSearchThread(db: Database, options: SearchThreadOptions): SearchThread {
  const { program, log, from = LARGE } = options;
  const file = fileAt(db.name);
  const waiting = new Map<number, (answered: Answered | null) => void>();
  const told = new Set<string>();
  let worker: Worker | undefined;
  let isLost = false;
  let last = 0;

  const settle = (number: number, answered: Answered | null) => {
    const done = waiting.get(number);
    waiting.delete(number);
    // A thread that nobody waits for does not keep the process.
    if (waiting.size === 0) worker?.unref();
    done?.(answered);
  };
  const lose = (cause: string) => {
    if (isLost) return;
    isLost = true;
    log(`search thread: ${cause}; searching without it`);
    for (const number of [...waiting.keys()]) settle(number, null);
  };
  const start = (): Worker => {
    const started = new Worker(program, {
      workerData: { path: db.name, file } satisfies Store,
      // What a library prints must not reach stdout, which carries the protocol.
      stdout: true,
      stderr: true,
      env: {},
    });
    started.on('message', (answered: Answered) => settle(answered.number, answered));
    started.on('error', (error) => lose(error.message));
    started.on('exit', () => lose('it ended'));
    return started;
  };

  /** Null where the thread is lost. */
  const ask = ({ name, ...index }: SearchIndex, query: SearchQuery): Promise<Answered | null> =>
    new Promise((resolve) => {
      last += 1;
      const number = last;
      try {
        // A process may be out of threads, or not allowed to have one.
        worker ??= start();
        const described = told.has(name) ? {} : { index: { name, ...index } };
        worker.postMessage({ number, name, query, ...described } satisfies Asked);
      } catch (error) {
        lose(error instanceof Error ? error.message : String(error));
        resolve(null);
        return;
      }
      told.add(name);
      waiting.set(number, resolve);
      worker.ref();
    });

  const thread: SearchThread = {
    from,
    async search(index, query) {
      const answered = isLost ? null : await ask(index, query);
      if (answered === null) return searchHere(db, index, query);
      if ('hits' in answered) return answered.hits;
      throw Object.assign(new Error(`search thread: ${answered.message}`), {
        code: answered.code,
      });
    },
    async close() {
      threads.delete(db);
      isLost = true;
      for (const number of [...waiting.keys()]) settle(number, { number, message: 'it is closed' });
      await worker?.terminate();
    },
  };
  threads.set(db, thread);
  return thread;
}
