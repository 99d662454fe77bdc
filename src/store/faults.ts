import { codeOf } from '../core/errors.ts';

/** Whether the store failed, as on a full or broken disk; not where another process was writing. */
export function isStoreFault(error: unknown): boolean {
  return /^SQLITE_(?!BUSY|LOCKED)/.test(codeOf(error));
}
