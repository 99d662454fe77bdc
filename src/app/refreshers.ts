import type { MacroRefresher } from '../areas/macro/refresh.ts';
import { createMarketRefresher, type MarketRefresher } from '../areas/markets/refresh.ts';
import type { PaperRefresher } from '../areas/papers/refresh.ts';
import { syncLockPath } from '../config.ts';
import type { Context, Freshened } from '../core/context.ts';
import type { WaitOutcome } from '../core/shared-jobs.ts';
import { COMMAND_PATH } from './built.ts';
import type { Online, RefresherOptions } from './clients.ts';

/** The part of the context that uses the network. */
export interface Refreshers
  extends Pick<Context, 'addPaper' | 'freshenPaper' | 'freshenSeries' | 'refreshMarkets'> {
  /** Aborts running refreshes and waits for them to end. */
  close(): Promise<void>;
}

/** Loads an area's refresher, and connects to its upstream, when a call first needs it. */
export function createRefreshers(options: RefresherOptions): Refreshers {
  return options.config.offline ? OFFLINE : createOnline(options);
}

const OFFLINE: Refreshers = {
  addPaper: async () => 'offline',
  freshenPaper: async () => 'offline',
  freshenSeries: async () => 'offline',
  refreshMarkets: () => null,
  close: async () => {},
};

function createOnline(options: RefresherOptions): Refreshers {
  const { mode } = options;
  const markets = mode === 'server' ? openMarkets(options) : null;
  let papers: Promise<Online<PaperRefresher>> | undefined;
  let macro: Promise<Online<MacroRefresher>> | undefined;
  const outcomeOf = (outcome: WaitOutcome): Freshened =>
    outcome === 'pending' && mode === 'one-shot' ? 'timed_out' : outcome;
  const reader = async () => {
    papers ??= import('./papers-online.ts').then(({ openPapers }) => openPapers(options));
    return (await papers).refresher;
  };
  return {
    async addPaper(arxivId, report, signal) {
      return outcomeOf(await (await reader()).add(arxivId, report, signal));
    },
    async freshenPaper(cardId, wait, report, signal) {
      const refresher = await reader();
      const waits = wait || mode === 'one-shot';
      return outcomeOf(await refresher.freshen(cardId, waits, report, signal));
    },
    async freshenSeries(seriesId, signal) {
      macro ??= import('./macro-online.ts').then(({ openMacro }) => openMacro(options));
      const outcome = await (await macro).refresher.freshen(seriesId, signal);
      return outcome === 'no_key' || outcome === 'bad_key' ? outcome : outcomeOf(outcome);
    },
    refreshMarkets: (events) => markets?.request(events) ?? null,
    async close() {
      markets?.close();
      const opened = [papers, macro].map((opening) => opening?.catch(() => null));
      await Promise.all(opened.map(async (each) => (await each)?.close()));
    },
  };
}

function openMarkets({ config, db, now, log }: RefresherOptions): MarketRefresher {
  const lockPath = syncLockPath(config.home, 'markets');
  return createMarketRefresher({ db, command: COMMAND_PATH, lockPath, now, log });
}
