import { existsSync } from 'node:fs';
import { storePath } from '../config.ts';
import { type Check, failed, passed } from './check.ts';

/** Names the user's own files that are no longer where they were read; nothing where there are none. */
export async function checkOwnFiles(home: string, { ok: hasSqlite }: Check): Promise<Check[]> {
  if (!hasSqlite || !existsSync(storePath(home))) return [];
  const [{ openForReading }, { listGoneFiles, listOwnFiles }] = await Promise.all([
    import('../store/open.ts'),
    import('../areas/papers/own-store.ts'),
  ]);
  try {
    const db = openForReading(storePath(home));
    try {
      const [files, gone] = [listOwnFiles(db).length, listGoneFiles(db)];
      if (files === 0) return [];
      if (gone.length === 0) return [passed('own_files', `${files} files are where they were`)];
      const some = `${gone.slice(0, 10).join(', ')}${gone.length > 10 ? ` and ${gone.length - 10} more` : ''}`;
      const fix =
        'Run `quantshelf add` on the folder where they are now, or `quantshelf remove` on them.';
      return [failed('own_files', `no longer there: ${some}`, fix, 'missing')];
    } finally {
      db.close();
    }
  } catch {
    // Of a store that cannot be read the check of its integrity says all.
    return [];
  }
}
