import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { MacroRefresher } from './areas/macro/refresh.ts';
import type { PaperReader } from './areas/papers/refresh.ts';
import type { Config } from './config.ts';
import type { Context, Freshened } from './core/context.ts';
import type { MarketRefresh } from './market-refresh.ts';
import type { WaitOutcome } from './upstream/wait.ts';

/** What of a context fetches; `db` is writable. */
export interface Capabilities {
  freshenPaper(
    db: Database,
    ...call: Parameters<Context['freshenPaper']>
  ): ReturnType<Context['freshenPaper']>;
  freshenSeries(
    db: Database,
    ...call: Parameters<Context['freshenSeries']>
  ): ReturnType<Context['freshenSeries']>;
  refreshMarkets(
    db: Database,
    ...call: Parameters<Context['refreshMarkets']>
  ): ReturnType<Context['refreshMarkets']>;
  /** Stops what is being fetched and waits until it has ended. */
  close(): Promise<void>;
}

interface Opened<T> {
  tool: T;
  close(): Promise<void>;
}

/**
 * Nothing of an upstream is loaded before a call needs it. Without `marketRefresh` the markets are
 * left as they are: a process that answers one call and ends has no background.
 */
export function createCapabilities(
  config: Config,
  log: (line: string) => void,
  embed: (texts: readonly string[]) => Promise<Float32Array[] | null>,
  marketRefresh: MarketRefresh | null,
): Capabilities {
  let papers: Promise<Opened<PaperReader>> | undefined;
  let macro: Promise<Opened<MacroRefresher> | null> | undefined;
  // Where nothing goes on behind a call, it had better wait for what it can have.
  const isBrief = marketRefresh === null;
  const outcomeOf = (outcome: WaitOutcome): Freshened =>
    outcome === 'late' && isBrief ? 'unfinished' : outcome;
  return {
    async freshenPaper(db, cardId, wait, report): Promise<Freshened> {
      if (config.offline) return 'offline';
      papers ??= openReader(config, db, log, embed);
      const { tool } = await papers;
      return outcomeOf(await tool.freshen(cardId, wait || isBrief, report));
    },
    async freshenSeries(db, seriesId): Promise<Freshened> {
      if (config.offline) return 'offline';
      if (config.fredKey === undefined) return 'no_key';
      macro ??= openRefresher(config, db, log);
      const opened = await macro;
      if (opened === null) return 'bad_key';
      return outcomeOf(await opened.tool.freshen(seriesId));
    },
    refreshMarkets(db, events) {
      return config.offline ? null : (marketRefresh?.request(db, events) ?? null);
    },
    async close() {
      marketRefresh?.close();
      const opened = [papers, macro].map((opening) => opening?.catch(() => null));
      await Promise.all(opened.map(async (each) => (await each)?.close()));
    },
  };
}

async function openReader(
  config: Config,
  db: Database,
  log: (line: string) => void,
  embed: (texts: readonly string[]) => Promise<Float32Array[] | null>,
): Promise<Opened<PaperReader>> {
  const [{ openArxiv, OF_A_CALL }, { createPaperReader }] = await Promise.all([
    import('./arxiv-tools.ts'),
    import('./areas/papers/refresh.ts'),
  ]);
  const arxiv = openArxiv(config, db, OF_A_CALL);
  const reader = createPaperReader({ ...arxiv, db, embed, now: () => new Date(), log });
  return {
    tool: reader,
    async close() {
      await reader.close();
      await arxiv.close();
    },
  };
}

/** Null where the user's key cannot be one. */
async function openRefresher(
  config: Config,
  db: Database,
  log: (line: string) => void,
): Promise<Opened<MacroRefresher> | null> {
  const [{ openFred, OF_A_CALL }, { createMacroRefresher }, { withProcessLock }] =
    await Promise.all([
      import('./fred-tools.ts'),
      import('./areas/macro/refresh.ts'),
      import('./store/lock.ts'),
    ]);
  const fred = openFred(config, db, OF_A_CALL);
  if (fred === null) return null;
  const refresher = createMacroRefresher({
    ...fred,
    db,
    now: () => new Date(),
    alone: (work, signal) => withProcessLock(join(config.home, 'macro.lock'), work, { signal }),
    log,
  });
  return {
    tool: refresher,
    async close() {
      await refresher.close();
      await fred.close();
    },
  };
}
