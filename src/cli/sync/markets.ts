import type { Database } from 'better-sqlite3';
import { openPolymarket } from '../../app/clients.ts';
import { aliasOf } from '../../areas/markets/event-ids.ts';
import type { PullSummary } from '../../areas/markets/pull.ts';
import { summariseMarkets } from '../../areas/markets/queries.ts';
import { syncEvents } from '../../areas/markets/sync.ts';
import { readTagCheck } from '../../areas/markets/sync-queries.ts';
import { describeDuration, startProgress } from '../progress.ts';
import { loadModel } from './model.ts';
import {
  causeOf,
  describeFailure,
  describeNothing,
  type SyncRun,
  syncPatience,
} from './sync-run.ts';

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
  const { config, options, signal, log } = run;
  const { source, close } = openPolymarket(config, db, syncPatience(run));
  let progress = startProgress('events', log);
  try {
    const { summary, finished, embedded, unknownTags, errors } = await syncEvents({
      ...{ db, source, signal, scope: options.busiest ? 'top' : 'full', now: () => new Date() },
      loadModel() {
        progress.end();
        progress = startProgress('vectors', log);
        return loadModel(run, db);
      },
      onPage(soFar) {
        const done = soFar.added + soFar.changed + soFar.unchanged;
        const text = `${done.toLocaleString('en-US')} events of finance on ${soFar.pages} pages`;
        progress.show({ share: null, done, text });
      },
      onEmbedded: (done) => progress.show({ share: null, done, text: `${done} events` }),
    });
    const { whole: _, faults: __, reopened, ...counts } = summary;
    for (const warning of summary.warnings) log(warning);
    for (const id of reopened) log(`${aliasOf(id)} was closed and is open again.`);
    if (unknownTags.length > 0) {
      log(`Polymarket no longer knows these tags of ours: ${unknownTags.join(', ')}.`);
    }
    const [error = null, ...others] = errors.map((each) =>
      signal.aborted ? STOPPED : describeFailure(each, config.home),
    );
    for (const other of others) log(causeOf(other));
    return {
      ...counts,
      finished,
      reopened: reopened.map(aliasOf),
      embedded,
      unknownTags: readTagCheck(db).unknown,
      events: summariseMarkets(db).count,
      error,
    };
  } finally {
    progress.end();
    await close();
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
