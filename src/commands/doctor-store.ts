import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { summariseMacro } from '../areas/macro/queries.ts';
import { summariseMarkets } from '../areas/markets/queries.ts';
import { summarisePapers } from '../areas/papers/queries.ts';
import { storePath } from '../config.ts';
import { ServiceError } from '../core/errors.ts';
import { type Check, firstLine } from './doctor-check.ts';

/** The store, and what is on it where it can be read. */
export async function checkStore(home: string): Promise<Check[]> {
  const name = 'store_integrity';
  const path = storePath(home);
  if (!existsSync(path)) {
    return [
      canBeMade(home)
        ? { name, ok: true, detail: 'no store yet; the first call makes it', fix: null }
        : {
            name,
            ok: false,
            detail: 'the data directory cannot be made or written',
            fix: 'Set QUANTSHELF_HOME to a directory that can be written.',
          },
    ];
  }
  try {
    const [{ openForReading }, { pendingMigrations }, { migrations }, { findLost }] =
      await Promise.all([
        import('../store/open.ts'),
        import('../store/migrations.ts'),
        import('../schema.ts'),
        import('../store/lost.ts'),
      ]);
    const db = openForReading(path);
    try {
      const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
      if (verdict !== 'ok') throw new Error(verdict);
      const pending = pendingMigrations(db, migrations).length;
      const lost = findLost(db, migrations);
      if (lost.length > 0) throw new Error(`missing in the store: ${lost.join(', ')}`);
      const detail =
        pending === 0 ? 'intact' : `intact; ${pending} migrations wait for the next start`;
      const store = { name, ok: true, detail, fix: null } as const;
      // Before its migrations a store cannot be asked what is on it.
      return pending === 0 ? [store, checkContents(db, path)] : [store];
    } finally {
      db.close();
    }
  } catch (error) {
    // A newer program wrote it: nothing is wrong with the store.
    const fix =
      error instanceof ServiceError
        ? 'Upgrade with `npx -y quantshelf@latest`; this version cannot read it.'
        : `Move ${path} away; the next start makes a new store from the starter shelf. Keys, credits and what was synced stay behind in the old one.`;
    return [{ name, ok: false, detail: firstLine(error), fix }];
  }
}

/** Every area is filled from the starter shelf, so that an empty one has lost something. */
function checkContents(db: Database, path: string): Check {
  const name = 'contents';
  const counts = {
    papers: summarisePapers(db).count,
    macro: summariseMacro(db).withObservations,
    markets: summariseMarkets(db).count,
  };
  const told = Object.entries(counts).map(([area, count]) => `${area} ${count}`);
  const empty = Object.entries(counts).flatMap(([area, count]) => (count === 0 ? [area] : []));
  const detail = told.join(', ');
  if (empty.length === 0) return { name, ok: true, detail, fix: null };
  const syncs = empty.map((area) => `\`quantshelf sync ${area}\``).join(' and ');
  const fix = `Fill what is empty with ${syncs}, or move ${path} away: the next start makes a new store from the starter shelf.`;
  return { name, ok: false, detail: `empty: ${empty.join(', ')} (${detail})`, fix };
}

/**
 * True when `directory`, or the nearest one above it that exists, takes something new. That is
 * tried: the superuser is told that he may write to /proc and to read-only mounts, too.
 */
function canBeMade(directory: string): boolean {
  if (!existsSync(directory)) return canBeMade(dirname(directory));
  try {
    rmdirSync(mkdtempSync(join(directory, '.quantshelf-')));
    return true;
  } catch {
    return false;
  }
}
