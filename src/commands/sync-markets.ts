import type { Database } from 'better-sqlite3';
import { aliasOf } from '../areas/markets/cards/ids.ts';
import { summariseMarkets } from '../areas/markets/queries.ts';
import { embedEvents } from '../areas/markets/sync/embed-events.ts';
import { readTagCheck } from '../areas/markets/sync/log-queries.ts';
import { NOTHING_PULLED, type PullSummary, pullEvents } from '../areas/markets/sync/pull.ts';
import { checkTags } from '../areas/markets/sync/tag-check.ts';
import { openPolymarket } from '../polymarket-tools.ts';
import { loadModel } from './model-for-sync.ts';
import { describeFault, type Pass } from './pass.ts';
import { describeDuration, startProgress } from './progress.ts';

/** What a pass over the events did, as `--json` prints it. */
export interface MarketsReport extends Omit<PullSummary, 'whole' | 'faults' | 'reopened'> {
  /** All lists came to their end. */
  finished: boolean;
  /** Aliases of the events that were closed and are no more. */
  reopened: string[];
  /** Events that got a vector. */
  embedded: number;
  /** Tags of our lists that Polymarket did not know when it was last asked, once a week. */
  unknownTags: string[];
  /** Events on the shelf. */
  events: number;
  seconds: number;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** A pause or a Retry-After that the source asks for is waited out up to this long. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** What a stop leaves behind; unlike the papers', this work has no place at which to go on. */
const STOPPED = 'Stopped. What was fetched is kept; the next sync of the markets begins anew.';

/** The events of finance as they are now, then vectors for those whose words are new. */
export async function syncMarkets(pass: Pass, db: Database): Promise<MarketsReport> {
  const begun = Date.now();
  let summary: PullSummary = NOTHING_PULLED;
  let embedded = 0;
  let error: string | null = null;
  const attempt = async (work: () => Promise<void>) => {
    if (pass.signal.aborted) return;
    await work().catch((cause: unknown) => {
      const fault = pass.signal.aborted ? STOPPED : describeFault(cause);
      error ??= fault;
      pass.log(fault);
    });
  };
  await attempt(async () => {
    summary = await pull(pass, db, (soFar) => {
      summary = soFar;
    });
    const [fault] = summary.faults;
    if (fault !== undefined) throw new Error(fault);
  });
  await attempt(async () => {
    embedded = await embed(pass, db);
  });
  // The busiest alone are not all there is.
  const finished = summary.whole && !pass.options.busiest;
  if (finished) await attempt(() => compareTags(pass, db));
  const { whole: _, faults: __, reopened, ...counts } = summary;
  return {
    ...counts,
    finished,
    reopened: reopened.map(aliasOf),
    embedded,
    unknownTags: readTagCheck(db).unknown,
    events: summariseMarkets(db).count,
    seconds: Math.round((Date.now() - begun) / 100) / 10,
    error,
  };
}

function openSource({ config, log }: Pass, db: Database) {
  return openPolymarket(config, db, {
    longestWaitMs: LONGEST_WAIT_MS,
    onPause: (reason, ms) => log(`${reason}; next try in ${describeDuration(ms / 1000)}.`),
  });
}

async function compareTags(pass: Pass, db: Database): Promise<void> {
  const { source, close } = openSource(pass, db);
  try {
    const unknown = await checkTags({ db, source, now: () => new Date(), signal: pass.signal });
    if (unknown !== null && unknown.length > 0) {
      pass.log(`Polymarket no longer knows these tags of ours: ${unknown.join(', ')}.`);
    }
  } finally {
    await close();
  }
}

async function pull(
  pass: Pass,
  db: Database,
  onPage: (soFar: PullSummary) => void,
): Promise<PullSummary> {
  const { options, signal, log } = pass;
  const progress = startProgress('events', process.stderr, log);
  const { source, close } = openSource(pass, db);
  try {
    const summary = await pullEvents({
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
    for (const warning of summary.warnings) log(warning);
    for (const id of summary.reopened) log(`${aliasOf(id)} was closed and is open again.`);
    return summary;
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
    `${report.reopened.length === 0 ? '' : `Reopened: ${report.reopened.join(', ')}. `}` +
    `The shelf holds ${count(report.events)} events. ${describeDuration(report.seconds)}.`
  );
}
