import type { Database } from 'better-sqlite3';
import { openPolymarket } from '../../app/clients.ts';
import { aliasOf } from '../../areas/markets/cards/ids.ts';
import { summariseMarkets } from '../../areas/markets/queries.ts';
import { embedEvents } from '../../areas/markets/sync/embed-events.ts';
import { NOTHING_PULLED, type PullSummary, pullEvents } from '../../areas/markets/sync/pull.ts';
import { listUnembeddedEvents, readTagCheck } from '../../areas/markets/sync/queries.ts';
import { checkTags } from '../../areas/markets/sync/tag-check.ts';
import { describeDuration, startProgress } from '../progress.ts';
import { loadModel } from './model.ts';
import { attempt, describeNothing, type SyncRun, syncPatience } from './sync-run.ts';

/** What a sync run over the events did, as `--json` prints it. */
export interface MarketsReport extends Omit<PullSummary, 'whole' | 'faults' | 'reopened'> {
  /** The run reached the end of every list. */
  finished: boolean;
  /** Aliases of events that were closed and are open again. */
  reopened: string[];
  /** Events that got a vector. */
  embedded: number;
  /** Tags of our lists that Polymarket did not know at the last weekly check. */
  unknownTags: string[];
  /** Events on the shelf. */
  events: number;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** Unlike the papers' run, this one has no checkpoint to go on from. */
const STOPPED = 'Stopped. What was fetched is kept; the next sync of the markets starts over.';

/** Fetches the finance events as they are now, then embeds those whose text is new. */
export async function syncMarkets(run: SyncRun, db: Database): Promise<MarketsReport> {
  let summary: PullSummary = NOTHING_PULLED;
  let embedded = 0;
  const outcome: { error: string | null } = { error: null };
  const tryTo = (work: () => Promise<void>) => attempt(run, outcome, work, STOPPED);
  await tryTo(async () => {
    summary = await pull(run, db, (soFar) => {
      summary = soFar;
    });
    const [fault] = summary.faults;
    if (fault !== undefined) throw new Error(fault);
  });
  await tryTo(async () => {
    embedded = await embed(run, db);
  });
  // The busiest events are only a part.
  const finished = summary.whole && !run.options.busiest;
  if (finished) await tryTo(() => compareTags(run, db));
  const { whole: _, faults: __, reopened, ...counts } = summary;
  return {
    ...counts,
    finished,
    reopened: reopened.map(aliasOf),
    embedded,
    unknownTags: readTagCheck(db).unknown,
    events: summariseMarkets(db).count,
    error: outcome.error,
  };
}

async function compareTags(run: SyncRun, db: Database): Promise<void> {
  const { source, close } = openPolymarket(run.config, db, syncPatience(run));
  try {
    const unknown = await checkTags({ db, source, now: () => new Date(), signal: run.signal });
    if (unknown !== null && unknown.length > 0) {
      run.log(`Polymarket no longer knows these tags of ours: ${unknown.join(', ')}.`);
    }
  } finally {
    await close();
  }
}

async function pull(
  run: SyncRun,
  db: Database,
  onPage: (soFar: PullSummary) => void,
): Promise<PullSummary> {
  const { options, signal, log } = run;
  const progress = startProgress('events', log);
  const { source, close } = openPolymarket(run.config, db, syncPatience(run));
  try {
    const summary = await pullEvents({
      db,
      source,
      now: () => new Date(),
      signal,
      scope: options.busiest ? 'top' : 'full',
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

async function embed(run: SyncRun, db: Database): Promise<number> {
  // The model may have to be downloaded first.
  if (listUnembeddedEvents(db, 1).length === 0) return 0;
  const embedder = await loadModel(run, db);
  const progress = startProgress('vectors', run.log);
  try {
    return await embedEvents(db, embedder.embed, {
      signal: run.signal,
      onProgress: (done) => progress.show({ share: null, done, text: `${done} events` }),
    });
  } finally {
    progress.end();
    await embedder.close();
  }
}

/** The report as text. */
export function renderMarkets(report: MarketsReport & { seconds: number }): string {
  const count = (number: number) => number.toLocaleString('en-US');
  const { added, changed, unchanged, outside, embedded, error } = report;
  if (error !== null && added + changed + unchanged + outside + embedded === 0) {
    return describeNothing('markets', error, `${count(report.events)} events`);
  }
  return (
    `markets: ${count(report.added)} new, ${count(report.changed)} changed, ${count(report.unchanged)} unchanged, ` +
    `${count(report.outside)} outside finance; ${count(report.embedded)} embedded. ` +
    `${report.reopened.length === 0 ? '' : `Reopened: ${report.reopened.join(', ')}. `}` +
    `The shelf holds ${count(report.events)} events. ${describeDuration(report.seconds)}.` +
    (error === null ? '' : ` ${error}`)
  );
}
