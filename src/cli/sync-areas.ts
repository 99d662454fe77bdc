import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { PAPER_PARSER } from '../app/built.ts';
import type { Patience } from '../app/clients.ts';
import { downloadModel } from '../app/model-download.ts';
import { chooseVenues } from '../areas/markets/pull-ingest.ts';
import type { VenueName } from '../areas/markets/sources/venues.ts';
import type { Config } from '../config.ts';
import type { Area, SyncReport, SyncTools } from '../core/area.ts';
import { REMEDIES, storeFaultOf } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { type Embedder, loadEmbedder } from '../embedding/embedder.ts';
import { findEmbedder } from '../embedding/files.ts';
import { MODEL_STAMP } from '../embedding/pinned.ts';
import { withProcessLock } from '../store/lock.ts';
import { claimModel } from '../store/state.ts';
import { HttpError } from '../upstream/failures.ts';
import { describeDuration, type Progress, showDownloads, startProgress } from './terminal.ts';

export interface SyncOptions {
  /** YYYY-MM-DD. */
  since: string | undefined;
  limit: number | undefined;
  /** Set of arXiv's OAI-PMH. */
  set: string;
  /** Papers whose full text is fetched ahead of time. */
  fullText: number;
  /** The venue to ask, and to turn on or to leave as the only one; undefined for all that are on. */
  source: VenueName | undefined;
  /** Of a server's own refresh: all events, or those with these ids. Its `source` turns nothing on or off. */
  refresh: 'full' | readonly number[] | undefined;
  /** Do not wait out the pauses that upstreams asked for. */
  force: boolean;
}

/** What a sync run over one area is given. */
export interface SyncRun {
  config: Config;
  options: SyncOptions;
  /** Whether any upstream could be connected to when the sync began. */
  isOnline: boolean;
  /** Aborted when the user stops the command. */
  signal: AbortSignal;
  /** A line for people, on stderr. */
  log(line: string): void;
}

/** The sync of each area, whose code only this loads; `text` is its report for people. */
export const AREA_SYNCS: Readonly<
  Record<Area, (run: SyncRun, db: Database) => Promise<{ report: SyncReport; text: string }>>
> = {
  papers: (run, db) => runArea('papers', runPapers, run, db),
  macro: (run, db) => runArea('macro', runMacro, run, db),
  markets: (run, db) => runArea('markets', runMarkets, run, db),
};

interface Opened {
  run: SyncRun;
  tools: SyncTools;
  /** Closes this when the sync has ended. */
  closing<T extends { close(): Promise<void> }>(one: T): T;
}

async function runArea(
  area: Area,
  sync: (opened: Opened) => Promise<Done>,
  run: SyncRun,
  db: Database,
) {
  let bar: Progress | undefined;
  const endBar = () => {
    bar?.end();
    bar = undefined;
  };
  const opened: { close(): Promise<void> }[] = [];
  const tools: SyncTools = {
    ...{ db, signal: run.signal, now: () => new Date() },
    log: (line) => (bar === undefined ? run.log(line) : bar.note(line)),
    attempt: (report, work) => attempt({ ...run, log: tools.log }, report, work),
    startProgress(items) {
      endBar();
      const started = startProgress(items, run.log);
      bar = started;
      return started.show;
    },
    loadModel() {
      endBar();
      return loadModel(run, db);
    },
  };
  const closing: Opened['closing'] = (one) => {
    opened.push(one);
    return one;
  };
  try {
    const done = await sync({ run, tools, closing });
    endBar();
    return { report: done.report, text: `${area}: ${render(done)}` };
  } finally {
    endBar();
    for (const each of opened) await each.close();
  }
}

/** What a sync did, for machines and for people. */
interface Done {
  report: SyncReport;
  counts: readonly (readonly [count: number, what: string])[];
  /** What the shelf holds now. */
  stored: readonly [count: number, what: string];
  /** Each on a line of its own. */
  remarks?: readonly string[];
}

function render({ report: { error }, counts, stored, remarks = [] }: Done) {
  const number = (count: number) => count.toLocaleString('en-US');
  const done = counts.filter(([count]) => count > 0);
  const nothing = error === null ? 'nothing new' : 'nothing was synced';
  const list = done.map(([count, what]) => `${number(count)} ${what}`).join(', ') || nothing;
  const shelf = `The shelf holds ${number(stored[0])} ${stored[1]}.`;
  const outcome = `${list}. ${shelf} ${error ?? ''}`.trim();
  return [outcome, ...remarks].join('\n');
}

/** Loads the model on all cores, downloading it first if need be, and marks the store's vectors as its own. */
async function loadModel(run: SyncRun, db: Database): Promise<Embedder> {
  const { config, isOnline, signal, log } = run;
  const stored = await findEmbedder(config);
  if (stored === null && !isOnline) {
    throw new Error('The embedding model or ONNX Runtime is not here, and no network to fetch it.');
  }
  const files =
    stored ?? (await downloadModel(config, { signal, onProgress: showDownloads(log) }, log));
  claimModel(db, MODEL_STAMP);
  return loadEmbedder(files, { threads: availableParallelism() });
}

/** How patient a sync is with an upstream: it waits long, but not for hosts that nothing connects to. */
function syncPatience({ log }: SyncRun): Patience {
  return {
    failFast: 'until_connected',
    longestWaitMs: 10 * 60_000,
    // A host that accepts a connection and says nothing for so long is down.
    firstAnswerMs: 15_000,
    onPause: (reason, ms) => log(`${reason}; next try in ${describeDuration(ms / 1000)}.`),
  };
}

/**
 * Does a part of a sync run unless the user has stopped it. The first failure is left to the report,
 * whose text ends with it; further ones are logged.
 */
export async function attempt(
  { config, signal, log }: SyncRun,
  report: { error: string | null },
  work: () => Promise<void>,
): Promise<void> {
  if (signal.aborted) return;
  try {
    await work();
  } catch (error) {
    const fault = describeFailure(signal.aborted ? signal.reason : error, config.home);
    if (report.error === null) report.error = fault;
    else log(fault);
  }
}

/** A failure in our words, never in SQLite's: for the terminal, and for `status`. */
export function describeFailure(error: unknown, home: string): string {
  const fault = storeFaultOf(error, home);
  if (fault !== null) return REMEDIES[fault];
  const code = codeOf(error);
  if (code.startsWith('SQLITE_')) {
    return `The shelf could not be written (${code}). \`quantshelf doctor\` tells more.`;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof HttpError)) return message;
  const isWaiting = error.fault === 'rate_limited';
  return `${message}.${isWaiting ? ' `quantshelf sync --force` asks at once.' : ''}`;
}

async function runPapers({ run, tools, closing }: Opened): Promise<Done> {
  const [{ openArxiv }, { createParser }, { syncPapers }] = await Promise.all([
    import('../app/papers-online.ts'),
    import('../areas/papers/full-text/parser.ts'),
    import('../areas/papers/sync.ts'),
  ]);
  const { config, options } = run;
  const { set, since, limit, fullText } = options;
  const report = await syncPapers({
    ...{ ...tools, set, since, limit, fullText },
    source: closing(openArxiv(config, tools.db, syncPatience(run))).source,
    parse: createParser(PAPER_PARSER),
    describeFault: (error) => describeFailure(error, config.home),
  });
  const missing = Object.entries(report.missing).map(
    ([why, papers]) => `${papers} (${why.replace(/\.$/, '')})`,
  );
  const remarks = missing.length === 0 ? [] : [`No full text of: ${missing.join(', ')}.`];
  if (!report.finished && report.error === null) {
    remarks.push('Not at the end of arXiv’s list yet: run it again.');
  }
  return {
    report,
    counts: [
      [report.added, 'new'],
      [report.changed, 'changed'],
      [report.withdrawn, 'withdrawn'],
      [report.unchanged, 'unchanged'],
      [report.skipped, 'skipped as damaged'],
      [report.embedded, 'embedded'],
      [report.texts, 'full texts'],
    ],
    stored: [report.papers, 'papers'],
    remarks,
  };
}

/** Agencies are asked once more after a failure; whoever wants longer pauses is left for later. */
const PATIENCE = {
  ...{ longestWaitMs: 10_000, tries: 2, faultMs: 2_000 },
  // Each agency has several files, and one of them tells whether its host can be reached.
  failFast: 'always',
} as const;

async function runMacro({ run, tools, closing }: Opened): Promise<Done> {
  const [{ openAgencies, openFred }, { syncMacro }] = await Promise.all([
    import('../app/macro-online.ts'),
    import('../areas/macro/sync.ts'),
  ]);
  const { config, signal } = run;
  const { db } = tools;
  const askFred = () => closing(openFred(config, db, { ...syncPatience(run), tries: 3 })).source;
  const report = await syncMacro({
    ...tools,
    alone: (name, work) => withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
    openFred: config.fredKey === undefined ? null : askFred,
    openFeeds: () => closing(openAgencies(config, db, { patience: PATIENCE, isSync: true })).feeds,
  });
  return {
    report,
    counts: [
      [report.changed, 'series with new figures'],
      [report.unchanged, 'unchanged'],
    ],
    stored: [report.withObservations, 'indicators with figures'],
    remarks: [
      ...(report.failed === 0 ? [] : [`${report.failed} failed.`]),
      ...(report.skipped === null ? [] : [report.skipped]),
    ],
  };
}

/** Unlike the papers' run, this one has no checkpoint to go on from. */
const STOPPED = 'Stopped. What was fetched is kept; the next sync of the markets starts over.';

async function runMarkets({ run, tools, closing }: Opened): Promise<Done> {
  const [{ openVenues }, { syncMarkets }] = await Promise.all([
    import('../app/markets-online.ts'),
    import('../areas/markets/sync.ts'),
  ]);
  const { source, refresh } = run.options;
  const names = source && refresh ? [source] : chooseVenues(tools.db, source);
  const venues = openVenues(names, run.config, tools.db, syncPatience(run)).map(
    (client) => closing(client).source,
  );
  const served = typeof refresh === 'object' ? refresh : null;
  const report = await syncMarkets({ ...tools, venues, served });
  if (run.signal.aborted && report.error !== null) report.error = STOPPED;
  return {
    report,
    counts: [
      [report.added, 'new'],
      [report.changed, 'changed'],
      [report.unchanged, 'unchanged'],
      [report.outside, 'outside finance'],
      [report.embedded, 'embedded'],
    ],
    stored: [report.events, 'events'],
  };
}
