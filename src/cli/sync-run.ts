import type { Patience } from '../app/clients.ts';
import type { VenueName } from '../areas/markets/sources/venue.ts';
import type { Config } from '../config.ts';
import { isDiskFull } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { CHECK_NETWORK } from '../core/sync.ts';
import { HttpError, isUnsent } from '../upstream/errors.ts';
import { describeDuration } from './progress.ts';

export interface SyncOptions {
  /** YYYY-MM-DD. */
  since: string | undefined;
  limit: number | undefined;
  /** Set of arXiv's OAI-PMH. */
  set: string;
  /** Papers whose full text is fetched ahead of time. */
  fullText: number;
  /** The only venue to ask; undefined for all that are on. */
  source: VenueName | undefined;
  /** Only the most traded events, as a server's own refresh does between two full ones. */
  busiest: boolean;
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

/** Why a sync run ended that the user stopped. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor() {
    super('Stopped. The next sync goes on from here.');
  }
}

/** A host that accepts a connection and says nothing for so long is down. */
const FIRST_ANSWER_MS = 15_000;

/** How patient a sync is with an upstream: it waits long, but not for hosts that nothing connects to. */
export function syncPatience({ log }: SyncRun): Patience {
  return {
    failFast: 'until_connected',
    longestWaitMs: 10 * 60_000,
    firstAnswerMs: FIRST_ANSWER_MS,
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
    else log(causeOf(fault));
  }
}

/** The report of a sync run that failed before it had done anything, in an area that holds `held`. */
export function describeNothing(area: string, error: string, held: string): string {
  return `${area}: nothing was synced (${error.replace(/\.$/, '')}). The shelf still holds ${held}.`;
}

/** What went wrong, without the advice. */
export function causeOf(error: string): string {
  return error.replace(CHECK_NETWORK, '').trim();
}

/**
 * A failure in our words, never in SQLite's: for the terminal, and for `status`. `home` tells a full disk
 * from a broken one.
 */
export function describeFailure(error: unknown, home: string): string {
  const code = codeOf(error);
  if (isDiskFull(error, home)) return 'The disk is full. Free some space and sync again.';
  if (code.startsWith('SQLITE_')) {
    return `The shelf could not be written (${code}). \`quantshelf doctor\` tells more.`;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof HttpError)) return message;
  if (isUnsent(error)) return `${message}. ${CHECK_NETWORK}`;
  const isWaiting = error.fault === 'rate_limited';
  return `${message}.${isWaiting ? ' `quantshelf sync --force` asks at once.' : ''}`;
}
