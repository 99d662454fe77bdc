import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { summariseMacro } from '../../areas/macro/queries.ts';
import { summariseMarkets } from '../../areas/markets/queries.ts';
import { summarisePapers } from '../../areas/papers/queries.ts';
import { storePath } from '../../config.ts';
import { ServiceError } from '../../core/errors.ts';
import { type Check, firstLine } from './check.ts';

/** Checks the store, and what it holds if it can be read. */
export async function checkStore(home: string): Promise<Check[]> {
  const name = 'store_integrity';
  const path = storePath(home);
  if (!existsSync(path)) {
    return [
      canBeCreated(home)
        ? { name, ok: true, detail: 'no store yet; the first call creates it', fix: null }
        : {
            name,
            ok: false,
            detail: 'the data directory cannot be created or written',
            fix: 'Set QUANTSHELF_HOME to a directory that can be written.',
          },
    ];
  }
  try {
    // Lazily: better-sqlite3 may be missing, which another check explains.
    const { withIntactStore } = await import('./integrity.ts');
    return withIntactStore(path, (db, pending) => {
      const detail =
        pending === 0 ? 'intact' : `intact; ${pending} migrations wait for the next start`;
      const store = { name, ok: true, detail, fix: null } as const;
      // The queries of the contents are those of the newest schema.
      return pending === 0 ? [store, checkContents(db, path)] : [store];
    });
  } catch (error) {
    // A newer version wrote it, or it is no store of ours: the message says what to do.
    const fix =
      error instanceof ServiceError
        ? error.message
        : `Move ${path} away; the next start creates a new store from the starter shelf. Keys, credits and what was synced stay behind in the old one.`;
    return [{ name, ok: false, detail: firstLine(error), fix }];
  }
}

/** The starter shelf fills every area, so an empty one has lost its data. */
function checkContents(db: Database, path: string): Check {
  const name = 'contents';
  const counts = {
    papers: summarisePapers(db).count,
    macro: summariseMacro(db).withObservations,
    markets: summariseMarkets(db).count,
  };
  const parts = Object.entries(counts).map(([area, count]) => `${area} ${count}`);
  const empty = Object.entries(counts).flatMap(([area, count]) => (count === 0 ? [area] : []));
  const detail = parts.join(', ');
  if (empty.length === 0) return { name, ok: true, detail, fix: null };
  const syncs = empty.map((area) => `\`quantshelf sync ${area}\``).join(' and ');
  const fix = `Fill it with ${syncs}, or move ${path} away: the next start creates a new store from the starter shelf.`;
  return { name, ok: false, detail: `empty: ${empty.join(', ')} (${detail})`, fix };
}

/**
 * True when something can be created in `directory`, or in its nearest existing parent. Tried for
 * real: access(2) tells the superuser that /proc and read-only mounts are writable.
 */
function canBeCreated(directory: string): boolean {
  if (!existsSync(directory)) return canBeCreated(dirname(directory));
  try {
    rmdirSync(mkdtempSync(join(directory, '.quantshelf-')));
    return true;
  } catch {
    return false;
  }
}
