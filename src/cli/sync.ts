import type { Database } from 'better-sqlite3';
import { attempt } from '../app/attempt.ts';
import type { SyncRun } from '../app/clients.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import { listUpstreams, loadModel, probeUpstreams, SYNCS } from '../app/sync.ts';
import type { MarketsOptions } from '../areas/markets/sync.ts';
import type { PapersOptions } from '../areas/papers/sync.ts';
import { type Config, syncLockPath } from '../config.ts';
import type { Area, SyncReport, VectorTools } from '../core/area.ts';
import { countOf } from '../core/text.ts';
import { LockHeldError, withProcessLock } from '../store/lock.ts';
import { recordSync, recordSyncError } from '../store/state.ts';
import { liftBlock } from '../store/upstreams.ts';
import {
  describeDuration,
  grouped,
  type Progress,
  showDownloads,
  startProgress,
  type Terminal,
} from './terminal.ts';

const NO_NETWORK =
  'No upstream can be reached, so nothing can be refreshed. Check the network, and HTTPS_PROXY if there is a proxy; then sync again.';

export interface SyncCommand {
  areas: readonly Area[];
  papers: PapersOptions;
  markets: MarketsOptions;
  /** Whether to ignore the pauses that upstreams asked for. */
  force: boolean;
  json: boolean;
}

interface Command {
  config: Config;
  /** Whether a missing model may be downloaded. */
  isOnline: boolean;
  /** Aborted when the user stops the command. */
  signal: AbortSignal;
  log(line: string): void;
}

/** `quantshelf sync`: refreshes the areas one after the other; returns the exit code. */
export async function runSync(
  app: LazyApp,
  config: Config,
  options: SyncCommand,
  { log, print, stopSignal }: Terminal,
): Promise<number> {
  const { areas, force, json } = options;
  if (config.offline) {
    log('QUANTSHELF_OFFLINE is set, so nothing is refreshed. Unset it to sync.');
    return 1;
  }
  const signal = stopSignal(new Error('Stopped.'));
  const { writer } = await app.open();
  const upstreams = await listUpstreams(config, writer, areas, options.markets.venue);
  if (force) for (const [name] of upstreams) liftBlock(writer, name);
  const isOnline = await probeUpstreams(config, writer, upstreams);
  if (!isOnline) log(NO_NETWORK);
  const reports: Record<string, SyncReport> = {};
  for (const area of areas) {
    const { writer: db } = await app.open();
    const command = { config, isOnline, signal, log };
    const { report, text } = await syncArea(area, db, command, (run) =>
      AREA_SYNCS[area](run, options),
    );
    reports[area] = report;
    if (!json) print(`${area}: ${text}`);
    if (signal.aborted) break;
  }
  if (json) print(JSON.stringify(reports));
  return Object.values(reports).every(({ error }) => error === null) ? 0 : 1;
}

/** Syncs one area under its lock and records the result for `status`. Throws only when the store does. */
async function syncArea(
  area: Area,
  db: Database,
  command: Command,
  sync: (run: SyncRun) => Promise<Done>,
): Promise<{ report: SyncReport; text: string }> {
  const { config, signal, log } = command;
  const lock = syncLockPath(config.home, area);
  const heldMessage = `Another sync of ${area} is running. Wait for it, or stop it.`;
  const onPause = (reason: string, ms: number) =>
    log(`${reason.replace(/\.$/, '')}; next try in ${describeDuration(ms / 1000)}.`);
  const work = async () => {
    const done = await withProgress(db, command, (tools) => sync({ config, tools, onPause }));
    const { report } = done;
    if (signal.aborted && report.error !== null && done.isResumable) {
      report.error += ' The next sync continues from here.';
    }
    // A finished run may have failed in part; stopping is not a failure.
    if (report.finished) recordSync(db, area, new Date());
    if (report.error !== null && !signal.aborted) {
      recordSyncError(db, area, report.error, new Date());
    }
    return { report, text: render(done) };
  };
  try {
    return await withProcessLock(lock, work, { signal, heldMessage });
  } catch (error) {
    // Stopped before the sync began.
    if (signal.aborted && error === signal.reason) {
      const { message } = signal.reason;
      return { report: { finished: false, error: message }, text: message };
    }
    if (!(error instanceof LockHeldError)) throw error;
    // The other areas still sync.
    log(heldMessage);
    return {
      report: { finished: false, error: heldMessage },
      text: 'skipped: another sync is running.',
    };
  }
}

/** Runs `work` and shows its progress, one bar at a time. */
export async function withProgress<T>(
  db: Database,
  { config, isOnline, signal, log }: Command,
  work: (tools: VectorTools) => Promise<T>,
): Promise<T> {
  let bar: Progress | undefined;
  const endBar = () => {
    bar?.end();
    bar = undefined;
  };
  const say = (line: string) => (bar === undefined ? log(line) : bar.note(line));
  const tools: VectorTools = {
    db,
    signal,
    now: () => new Date(),
    log: say,
    attempt: (report, work) => attempt({ home: config.home, signal, log: say }, report, work),
    startProgress(items) {
      endBar();
      const started = startProgress(items, log);
      bar = started;
      return started.show;
    },
    loadModel() {
      endBar();
      const watch = { signal, onProgress: showDownloads(log) };
      return loadModel({ config, db, isOnline }, watch, log);
    },
  };
  try {
    return await work(tools);
  } finally {
    endBar();
  }
}

/** The result of a sync, as JSON and as text. */
interface Done {
  report: SyncReport;
  counts: readonly (readonly [count: number, what: string])[];
  /** The contents of the shelf after the sync. */
  stored: readonly [count: number, what: string];
  /** Sentences, each printed on a line of its own. */
  remarks?: readonly string[];
  /** Whether the next sync continues where this one was stopped. */
  isResumable?: boolean;
}

const AREA_SYNCS: Readonly<Record<Area, (run: SyncRun, options: SyncCommand) => Promise<Done>>> = {
  async papers(run, { papers }) {
    const report = await (await SYNCS.papers()).sync(run, papers);
    const missing = Object.entries(report.missing).map(
      ([why, count]) => `${countOf(count, 'paper')} (${why.replace(/\.$/, '')})`,
    );
    const isCutShort = !report.finished && report.error === null;
    return {
      report,
      counts: [
        [report.added, 'new'],
        [report.changed, 'changed'],
        [report.withdrawn, 'withdrawn'],
        [report.unchanged, 'unchanged'],
        [report.skipped, 'skipped as damaged'],
        [report.embedded, 'embedded'],
        [report.texts, 'fetched in full'],
      ],
      stored: [report.papers, 'papers'],
      remarks: [
        ...(missing.length === 0 ? [] : [`No full text for: ${missing.join(', ')}.`]),
        ...(isCutShort ? ['arXiv has more papers: run this again.'] : []),
      ],
      isResumable: true,
    };
  },

  async macro(run) {
    const report = await (await SYNCS.macro()).sync(run);
    return {
      report,
      counts: [
        [report.changed, 'series with new figures'],
        [report.unchanged - report.notDue, 'unchanged'],
        [report.notDue, 'not due yet'],
      ],
      stored: [report.withObservations, 'indicators with figures'],
      remarks: [
        ...(report.failed === 0 ? [] : [`${report.failed} series failed.`]),
        ...(report.skipped === null ? [] : [report.skipped]),
      ],
      isResumable: report.changed + report.unchanged + report.failed > report.notDue,
    };
  },

  async markets(run, { markets }) {
    const report = await (await SYNCS.markets()).sync(run, markets);
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
  },
};

function render({ report: { error }, counts, stored, remarks = [] }: Done): string {
  const done = counts.filter(([count]) => count > 0);
  const nothing = error === null ? 'nothing new' : 'nothing was synced';
  const list = done.map(([count, what]) => `${grouped(count)} ${what}`).join(', ') || nothing;
  const shelf = `The shelf contains ${grouped(stored[0])} ${stored[1]}.`;
  return [`${list}. ${shelf} ${error ?? ''}`.trim(), ...remarks].join('\n');
}
