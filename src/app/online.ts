import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createAgencyRefresher } from '../areas/macro/agencies/refresher.ts';
import { createMacroRefresher, LONGEST_WAIT_MS } from '../areas/macro/refresh.ts';
import { createParser } from '../areas/papers/full-text/parser.ts';
import { createPaperRefresher, type PaperRefresher } from '../areas/papers/refresh.ts';
import type { Config } from '../config.ts';
import { withProcessLock } from '../store/lock.ts';
import type { WaitOutcome } from '../upstream/wait.ts';
import { openAgencies } from './agencies.ts';
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

/** Keeps macro series current, from FRED with the user's key and from the agencies. */
export interface MacroOnline {
  freshen(seriesId: string, signal?: AbortSignal): Promise<WaitOutcome | 'no_key' | 'bad_key'>;
  /** Aborts running refreshes, then closes the connections. */
  close(): Promise<void>;
}

/** With a key FRED comes first and an agency fills in; without one the agencies alone. */
export function openMacro(options: RefresherOptions): MacroOnline {
  const { config, db } = options;
  const lockPath = (name: string) => join(config.home, `${name}.lock`);
  const upstreams = openAgencies(config, db, CALL_PATIENCE.agencies);
  const agencies = createAgencyRefresher({
    ...options,
    ...upstreams,
    alone: (feed, work, signal) => withProcessLock(lockPath(`macro-${feed}`), work, { signal }),
  });
  const fred = config.fredKey === undefined ? null : openFred(config, db, CALL_PATIENCE.fred);
  const withoutFred = config.fredKey === undefined ? 'no_key' : 'bad_key';
  const refresher =
    fred &&
    createMacroRefresher({
      ...options,
      source: fred.source,
      reachability: fred.reachability,
      agencies,
      alone: (work, signal) => withProcessLock(lockPath('macro'), work, { signal }),
    });
  return {
    async freshen(seriesId, signal) {
      if (refresher !== null) return refresher.freshen(seriesId, signal);
      return agencies.covers(seriesId)
        ? agencies.freshen(seriesId, LONGEST_WAIT_MS, signal)
        : withoutFred;
    },
    async close() {
      await Promise.all([refresher?.close(), agencies.close()]);
      await Promise.all([fred?.close(), upstreams.close()]);
    },
  };
}
