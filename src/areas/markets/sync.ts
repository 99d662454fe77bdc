import type { Database } from 'better-sqlite3';
import type { Embed, SyncReport, SyncTools } from '../../core/sync.ts';
import { aliasOf } from './event-ids.ts';
import type { PullScope } from './freshness.ts';
import { NOTHING_PULLED, type PullSummary, pullEvents } from './pull.ts';
import { summariseMarkets } from './queries.ts';
import type { PolymarketSource } from './sources/polymarket.ts';
import { dropDamagedVectors, storeEventVectors } from './sync-ingest.ts';
import { listUnembeddedEvents, readTagCheck } from './sync-queries.ts';
import { checkTags } from './tag-check.ts';

/** What a sync over the events did, as `--json` prints it. */
export interface MarketsReport
  extends SyncReport,
    Omit<PullSummary, 'whole' | 'faults' | 'reopened'> {
  /** Aliases of events that were closed and are open again. */
  reopened: string[];
  /** Events that got a vector. */
  embedded: number;
  /** Tags of our lists that Polymarket did not know at the last weekly check. */
  unknownTags: string[];
  /** Events on the shelf. */
  events: number;
}

export interface MarketsSync extends SyncTools {
  source: PolymarketSource;
  scope: PullScope;
}

/**
 * Fetches the finance events as they are now, embeds those whose text is new, and compares our tags with the
 * source's. A part that fails leaves the others to be done; one that was stopped ends the run.
 */
export async function syncMarkets(sync: MarketsSync): Promise<MarketsReport> {
  const { db, log } = sync;
  const { whole: _, faults: __, ...nothing } = NOTHING_PULLED;
  const report: MarketsReport = {
    ...{ ...nothing, reopened: [], finished: false, embedded: 0 },
    ...{ unknownTags: [], events: 0, error: null },
  };
  dropDamagedVectors(db);
  await sync.attempt(report, () => pull(sync, report));
  for (const warning of report.warnings) log(warning);
  for (const alias of report.reopened) log(`${alias} was closed and is open again.`);
  await sync.attempt(report, () => embedNew(sync, report));
  if (report.finished) {
    await sync.attempt(report, async () => {
      const unknown = (await checkTags(sync)) ?? [];
      if (unknown.length === 0) return;
      log(`Polymarket no longer knows these tags of ours: ${unknown.join(', ')}.`);
    });
  }
  report.unknownTags = readTagCheck(db).unknown;
  report.events = summariseMarkets(db).count;
  return report;
}

async function pull(sync: MarketsSync, report: MarketsReport): Promise<void> {
  const show = sync.startProgress('events');
  const note = ({ whole: _, faults: __, ...counts }: PullSummary) => {
    Object.assign(report, { ...counts, reopened: counts.reopened.map(aliasOf) });
  };
  const summary = await pullEvents({
    ...sync,
    onPage(_, soFar) {
      note(soFar);
      const done = soFar.added + soFar.changed + soFar.unchanged;
      const text = `${done.toLocaleString('en-US')} events of finance on ${soFar.pages} pages`;
      show({ share: null, done, text });
    },
  });
  note(summary);
  // The busiest events are only a part.
  report.finished = summary.whole && sync.scope === 'full';
  const [fault] = summary.faults;
  if (fault !== undefined) throw new Error(fault);
}

async function embedNew(sync: MarketsSync, report: MarketsReport): Promise<void> {
  const { db, signal } = sync;
  if (listUnembeddedEvents(db, 1).length === 0) return;
  const model = await sync.loadModel();
  const show = sync.startProgress('vectors');
  try {
    await embedEvents(db, model.embed, signal, (done) => {
      report.embedded = done;
      show({ share: null, done, text: `${done} events` });
    });
  } finally {
    await model.close();
  }
}

/** Batch size; an interruption loses one batch. */
const EVENTS_AT_ONCE = 32;

/**
 * Embeds every event whose vector is missing or out of date, and stores batch by batch. Until then
 * such events are found by lexical search only.
 */
async function embedEvents(
  db: Database,
  embed: Embed,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    const events = listUnembeddedEvents(db, EVENTS_AT_ONCE);
    if (events.length === 0) return;
    const vectors = await embed(events.map(({ text }) => text));
    const deliveries = events.map(({ id, wordsHash }, index) => {
      const vector = vectors[index];
      if (vector === undefined) throw new Error('the model returned fewer vectors than texts');
      return { id, wordsHash, vector };
    });
    storeEventVectors(db, deliveries);
    done += events.length;
    onProgress(done);
  }
}
