import type { SyncOptions } from '../command-line.ts';
import type { Config } from '../config.ts';
import { HttpError } from '../upstream/errors.ts';

/** What a pass of `sync` over one area is given. */
export interface Pass {
  config: Config;
  options: SyncOptions;
  /** Aborted when the user stops the command. */
  signal: AbortSignal;
  /** A line for people, on stderr. */
  log(line: string): void;
}

/** Why a user's stop ended a pass. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor() {
    super('Stopped. The next sync goes on from here.');
  }
}

/** A failure of a pass in our words, never in SQLite's: for the terminal, and for `status`. */
export function describeFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_FULL') return 'The disk is full. Free some space and sync again.';
  if (code.startsWith('SQLITE_')) {
    return `The shelf could not be written (${code}). \`quantshelf doctor\` tells more.`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof HttpError ? `${message}.` : message;
}
