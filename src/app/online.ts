import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createMacroRefresher, type MacroRefresher } from '../areas/macro/refresh.ts';
import { createParser } from '../areas/papers/full-text/parser.ts';
import { createPaperRefresher, type PaperRefresher } from '../areas/papers/refresh.ts';
import type { Config } from '../config.ts';
import { withProcessLock } from '../store/lock.ts';
import { openAgencies } from './agencies.ts';
import { PAPER_PARSER } from './built-files.ts';
import { CALL_PATIENCE, openArxiv, openFred } from './clients.ts';

export interface RefresherOptions {
  config: Config;
  /** Only a server works in the background. */
  mode: 'server' | 'one-shot';
  /** Writable. */
  db: Database;
  /** Has a paper embedded in the background. */
  embedLater(paperId: number): void;
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

/** With a key FRED comes first and an agency fills in; without one the agencies alone. */
export function openMacro(options: RefresherOptions): Online<MacroRefresher> {
  const { config, db } = options;
  const agencies = openAgencies(config, db, { patience: CALL_PATIENCE.agencies, isSync: false });
  const opened = config.fredKey === undefined ? 'no_key' : openFred(config, db, CALL_PATIENCE.fred);
  const fred = opened ?? 'bad_key';
  const refresher = createMacroRefresher({
    ...options,
    fred,
    agencies,
    alone: (name, work, signal) =>
      withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
  });
  return {
    refresher,
    async close() {
      await refresher.close();
      await Promise.all([typeof fred === 'string' ? undefined : fred.close(), agencies.close()]);
    },
  };
}
