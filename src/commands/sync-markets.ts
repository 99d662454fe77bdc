import type { Database } from 'better-sqlite3';
import { embedEvents } from '../areas/markets/embedding.ts';
import { type PullSummary, pullEvents } from '../areas/markets/pull.ts';
import { summariseMarkets } from '../areas/markets/queries.ts';
import { openPolymarket } from '../polymarket-tools.ts';
import { loadModel } from './model-for-sync.ts';
import { describeFault, type Pass } from './pass.ts';
import { describeDuration, startProgress } from './progress.ts';

/** What a pass over the events did, as `--json` prints it. */
export interface MarketsReport extends Omit<PullSummary, 'whole' | 'faults'> {
  /** All lists came to their end. */
  finished: boolean;
  /** Events that got a vector. */
  embedded: number;
  /** Events on the shelf. */
  events: number;
  seconds: number;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** A pause or a Retry-After that the source asks for is waited out up to this long. */
const LONGEST_WAIT_MS = 10 * 60_000;
const NOTHING: PullSummary = {
  ...{ added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0, pages: 0, unreadable: 0 },
  ...{ reread: 0, missing: 0, gone: 0, faults: [], whole: false },
};

/** The events of finance as they are now, then vectors for those whose words are new. */
export async function syncMarkets(pass: Pass, db: Database): Promise<MarketsReport> {
  const begun = Date.now();
  let summary = NOTHING;
  let embedded = 0;
  let error: string | null = null;
  const attempt = async (work: () => Promise<void>) => {
    if (pass.signal.aborted) return;
    await work().catch((cause: unknown) => {
      const fault = describeFault(pass.signal.aborted ? pass.signal.reason : cause);
      error ??= fault;
      pass.log(fault);
    });
  };
  await attempt(async () => {
    summary = await pull(pass, db, (soFar) => {
      summary = { ...soFar };
    });
    const [fault] = summary.faults;
    if (fault !== undefined) throw new Error(fault);
  });
  await attempt(async () => {
    embedded = await embed(pass, db);
  });
  const { whole, faults: _, ...counts } = summary;
  return {
    ...counts,
    // The busiest alone are not all there is.
    finished: whole && !pass.options.busiest,
    embedded,
    events: summariseMarkets(db).count,
    seconds: Math.round((Date.now() - begun) / 100) / 10,
    error,
  };
}

async function pull(
  { config, options, signal, log }: Pass,
  db: Database,
  onPage: (soFar: PullSummary) => void,
): Promise<PullSummary> {
  const progress = startProgress('events', process.stderr, log);
  const { source, close } = openPolymarket(config, db, {
    longestWaitMs: LONGEST_WAIT_MS,
    onPause: (reason, ms) => log(`${reason}; next try in ${describeDuration(ms / 1000)}.`),
  });
  try {
    return await pullEvents({
      db,
      source,
      now: () => new Date(),
      signal,
      reach: options.busiest ? 'busiest' : 'whole',
      onPage(_, soFar) {
        onPage(soFar);
        const done = soFar.added + soFar.changed + soFar.unchanged;
        const text = `${done.toLocaleString('en-US')} events of finance on ${soFar.pages} pages`;
        progress.show({ share: null, done, text });
      },
    });
  } finally {
    progress.end();
    await close();
  }
}

async function embed(pass: Pass, db: Database): Promise<number> {
  const embedder = await loadModel(pass, db);
  const progress = startProgress('vectors', process.stderr, pass.log);
  try {
    return await embedEvents(db, embedder.embed, {
      signal: pass.signal,
      onProgress: (done) => progress.show({ share: null, done, text: `${done} events` }),
    });
  } finally {
    progress.end();
    await embedder.close();
  }
}

/** The same for people. */
export function renderMarkets(report: MarketsReport): string {
  const count = (number: number) => number.toLocaleString('en-US');
  return (
    `markets: ${count(report.added)} new, ${count(report.changed)} changed, ${count(report.unchanged)} unchanged, ` +
    `${count(report.outside)} outside finance; ${count(report.embedded)} embedded. ` +
    `The shelf holds ${count(report.events)} events. ${describeDuration(report.seconds)}.`
  );
}
