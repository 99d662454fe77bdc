import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { PAPER_PARSER } from '../app/built.ts';
import { downloadModel } from '../app/model-download.ts';
import type { MacroReport } from '../areas/macro/sync.ts';
import { venuesOf } from '../areas/markets/freshness.ts';
import { listPulls } from '../areas/markets/queries.ts';
import type { MarketsReport } from '../areas/markets/sync.ts';
import type { PapersReport } from '../areas/papers/sync.ts';
import type { Area } from '../core/area.ts';
import type { SyncReport, SyncTools } from '../core/sync.ts';
import { type Embedder, loadEmbedder } from '../embedding/embedder.ts';
import { MODEL_STAMP } from '../embedding/model.ts';
import { findEmbedder } from '../embedding/runtime.ts';
import { claimModel } from '../store/embedding-model.ts';
import { withProcessLock } from '../store/lock.ts';
import { describeDuration, type Progress, showDownloads, startProgress } from './progress.ts';
import {
  attempt,
  causeOf,
  describeFailure,
  describeNothing,
  type SyncRun,
  syncPatience,
} from './sync-run.ts';

/** The sync of each area, whose code only this loads; `text` is its report for people. */
export const AREA_SYNCS: Readonly<
  Record<Area, (run: SyncRun, db: Database) => Promise<{ report: SyncReport; text: string }>>
> = {
  papers: (run, db) => timed(run, db, runPapers, renderPapers),
  macro: (run, db) => timed(run, db, runMacro, renderMacro),
  markets: (run, db) => timed(run, db, runMarkets, renderMarkets),
};

interface Opened {
  run: SyncRun;
  tools: SyncTools;
  /** Closes this when the sync has ended. */
  closing<T extends { close(): Promise<void> }>(one: T): T;
}

async function timed<T extends SyncReport>(
  run: SyncRun,
  db: Database,
  sync: (opened: Opened) => Promise<T>,
  render: (report: T & { seconds: number }) => string,
) {
  const begun = Date.now();
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
    const report = { ...done, seconds: Math.round((Date.now() - begun) / 100) / 10 };
    return { report, text: render({ ...report, error: report.error && causeOf(report.error) }) };
  } finally {
    endBar();
    for (const each of opened) await each.close();
  }
}

const NO_MODEL =
  'The embedding model or ONNX Runtime is not here, and there is no network to download it.';

/** Loads the model on all cores, downloading it first if need be, and marks the store's vectors as its own. */
async function loadModel(run: SyncRun, db: Database): Promise<Embedder> {
  const { config, isOnline, signal, log } = run;
  const stored = await findEmbedder(config);
  if (stored === null && !isOnline) throw new Error(NO_MODEL);
  const files =
    stored ?? (await downloadModel(config, { signal, onProgress: showDownloads(log) }, log));
  claimModel(db, MODEL_STAMP);
  return loadEmbedder(files, { threads: availableParallelism() });
}

async function runPapers({ run, tools, closing }: Opened): Promise<PapersReport> {
  const [{ openArxiv }, { createParser }, { syncPapers }] = await Promise.all([
    import('../app/papers-online.ts'),
    import('../areas/papers/full-text/parser.ts'),
    import('../areas/papers/sync.ts'),
  ]);
  const { config, options } = run;
  const { set, since, limit, fullText } = options;
  return syncPapers({
    ...{ ...tools, set, since, limit, fullText },
    source: closing(openArxiv(config, tools.db, syncPatience(run))).source,
    parse: createParser(PAPER_PARSER),
    describeFault: (error) => causeOf(describeFailure(error, config.home)),
  });
}

function renderPapers(report: PapersReport & { seconds: number }): string {
  const count = (number: number) => number.toLocaleString('en-US');
  const { added, changed, withdrawn, unchanged, embedded, error } = report;
  const done = added + changed + withdrawn + unchanged + embedded + report.texts;
  if (error !== null && done === 0) {
    return describeNothing('papers', error, `${count(report.papers)} papers`);
  }
  const reasons = Object.entries(report.missing).map(
    ([why, papers]) => `${count(papers)}: ${why.replace(/\.$/, '')}`,
  );
  const missing =
    report.textsMissing === 0
      ? ''
      : `, not to be had of ${count(report.textsMissing)} (${reasons.join('; ')})`;
  const texts =
    report.texts + report.textsMissing === 0
      ? ''
      : `; full text of ${count(report.texts)}${missing}`;
  const skipped = report.skipped === 0 ? '' : `, ${count(report.skipped)} skipped as damaged`;
  const unfinished = report.finished ? '' : ' Not at the end of arXiv’s list yet: run it again.';
  const end = error === null ? unfinished : ` ${error}`;
  return (
    `papers: ${count(report.added)} new, ${count(report.changed)} changed, ${count(report.withdrawn)} withdrawn, ` +
    `${count(report.unchanged)} unchanged${skipped}; ${count(report.embedded)} embedded${texts}. ` +
    `The shelf holds ${count(report.papers)} papers. ${describeDuration(report.seconds)}.${end}`
  );
}

/** Agencies are asked once more after a failure; whoever wants longer pauses is left for later. */
const PATIENCE = {
  ...{ longestWaitMs: 10_000, tries: 2, faultMs: 2_000, reconnectMs: 250 },
  // Each agency has several files, and one of them tells whether its host can be reached.
  failFast: 'always',
} as const;

const BAD_KEY =
  'FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits). Get one, free, at ' +
  'https://fred.stlouisfed.org/docs/api/api_key.html';

async function runMacro({ run, tools, closing }: Opened): Promise<MacroReport> {
  const [{ openAgencies, openFred }, { syncMacro }] = await Promise.all([
    import('../app/macro-online.ts'),
    import('../areas/macro/sync.ts'),
  ]);
  const { config, signal } = run;
  const { db } = tools;
  const askFred = () => {
    const fred = openFred(config, db, { ...syncPatience(run), tries: 3 });
    if (fred === null) throw new Error(BAD_KEY);
    return closing(fred).source;
  };
  return syncMacro({
    ...tools,
    alone: (name, work) => withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
    openFred: config.fredKey === undefined ? null : askFred,
    openFeeds: () => closing(openAgencies(config, db, { patience: PATIENCE, isSync: true })).feeds,
  });
}

function renderMacro(report: MacroReport & { seconds: number }): string {
  const skipped = report.skipped === null ? '' : `\nmacro: ${report.skipped}`;
  const { error } = report;
  if (error !== null && report.changed + report.unchanged === 0) {
    const held = `figures of ${report.withObservations} indicators`;
    return describeNothing('macro', error, held) + skipped;
  }
  const why = error === null ? '' : ` (${error.replace(/\.$/, '')})`;
  return (
    `macro: ${report.changed} series with new figures, ${report.unchanged} unchanged, ${report.failed} failed${why}. ` +
    `${report.withObservations} indicators hold figures. ${describeDuration(report.seconds)}.` +
    skipped
  );
}

/** Unlike the papers' run, this one has no checkpoint to go on from. */
const STOPPED = 'Stopped. What was fetched is kept; the next sync of the markets starts over.';

async function runMarkets({ run, tools, closing }: Opened): Promise<MarketsReport> {
  const [{ openVenue }, { syncMarkets }] = await Promise.all([
    import('../app/markets-online.ts'),
    import('../areas/markets/sync.ts'),
  ]);
  const { source, busiest } = run.options;
  const names = source === undefined ? venuesOf(listPulls(tools.db)) : [source];
  const venues = names.map((name) => {
    return closing(openVenue(name, run.config, tools.db, syncPatience(run))).source;
  });
  const report = await syncMarkets({ ...tools, venues, scope: busiest ? 'top' : 'full' });
  if (run.signal.aborted && report.error !== null) report.error = STOPPED;
  return report;
}

function renderMarkets(report: MarketsReport & { seconds: number }): string {
  const count = (number: number) => number.toLocaleString('en-US');
  const { added, changed, unchanged, outside, embedded, error } = report;
  if (error !== null && added + changed + unchanged + outside + embedded === 0) {
    return describeNothing('markets', error, `${count(report.events)} events`);
  }
  return (
    `markets: ${count(report.added)} new, ${count(report.changed)} changed, ${count(report.unchanged)} unchanged, ` +
    `${count(report.outside)} outside finance; ${count(report.embedded)} embedded. ` +
    `The shelf holds ${count(report.events)} events. ${describeDuration(report.seconds)}.` +
    (error === null ? '' : ` ${error}`)
  );
}
