import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createMacroRefresher, type MacroRefresher } from '../areas/macro/refresh.ts';
import { createParser } from '../areas/papers/full-text/parser.ts';
import { createPaperRefresher, type PaperRefresher } from '../areas/papers/refresh.ts';
import type { Config } from '../config.ts';
import { withProcessLock } from '../store/lock.ts';
import { CALL_PATIENCE, openArxiv, openFred } from './clients.ts';
import { PAPER_PARSER } from './files.ts';

export interface RefresherOptions {
  config: Config;
  /** Only a server works in the background. */
  mode: 'server' | 'one-shot';
  /** Writable. */
  db: Database;
  /** Returns one unit vector per text, or null while there is no model. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
  now(): Date;
  log(line: string): void;
}

/** A refresher and its connections. */
export interface Online<Refresher> {
  refresher: Refresher;
  /** Aborts running refreshes, then closes the connections. */
  close(): Promise<void>;
}

export function openPapers(options: RefresherOptions): Online<PaperRefresher> {
  const { source, reachability, close } = openArxiv(
    options.config,
    options.db,
    CALL_PATIENCE.arxiv,
  );
  const reader = createPaperRefresher({
    ...options,
    source,
    reachability,
    parse: createParser(PAPER_PARSER),
  });
  return {
    refresher: reader,
    async close() {
      await reader.close();
      await close();
    },
  };
}

/** Null when the user's key is malformed. */
export function openMacro(options: RefresherOptions): Online<MacroRefresher> | null {
  const { config, db } = options;
  const fred = openFred(config, db, CALL_PATIENCE.fred);
  if (fred === null) return null;
  const refresher = createMacroRefresher({
    ...options,
    source: fred.source,
    reachability: fred.reachability,
    alone: (work, signal) => withProcessLock(join(config.home, 'macro.lock'), work, { signal }),
  });
  return {
    refresher,
    async close() {
      await refresher.close();
      await fred.close();
    },
  };
}
