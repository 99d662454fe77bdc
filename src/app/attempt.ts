import type { SyncReport } from '../core/area.ts';
import { REMEDIES, storeFaultOf } from '../core/disk.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import { HttpError } from '../upstream/failures.ts';

/** Runs part of a sync, unless `signal` is aborted. Stores the first failure in `report` and logs the others. */
export async function attempt(
  { home, signal, log }: { home: string; signal: AbortSignal; log(line: string): void },
  report: SyncReport,
  work: () => Promise<void>,
): Promise<void> {
  if (signal.aborted) return;
  try {
    await work();
  } catch (error) {
    const fault = describeFailure(signal.aborted ? signal.reason : error, home);
    if (report.error === null) report.error = fault;
    else log(fault);
  }
}

/** Describes a failure in our words, never SQLite's, for the terminal and for `status`. */
export function describeFailure(error: unknown, home: string): string {
  const fault = storeFaultOf(error, home);
  if (fault !== null) return REMEDIES[fault];
  const code = codeOf(error);
  if (code.startsWith('SQLITE_')) {
    return `The shelf could not be written (${code}). Run \`quantshelf doctor\` for details.`;
  }
  if (!(error instanceof HttpError)) return messageOf(error);
  const isWaiting = error.fault === 'rate_limited';
  return `${error.message}.${isWaiting ? ' Run `quantshelf sync --force` to try at once.' : ''}`;
}
