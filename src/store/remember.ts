import type { Database } from 'better-sqlite3';

/** Answers kept of one kind and connection. */
const MAX_KEPT = 200;

const versions = new WeakMap<Database, () => number>();

/**
 * From now on what is read through `db` by a `remembered` function is kept until `version` tells
 * another number. It must tell one after every change of what is read; it may at others.
 */
export function watchVersion(db: Database, version: () => number): void {
  versions.set(db, version);
}

/**
 * A number that is another one after every commit that `db` itself did not make, in whichever
 * process. Asking costs a few microseconds.
 */
export function versionSeenBy(db: Database): () => number {
  const read = db.prepare<[], number>('PRAGMA data_version').pluck();
  return () => read.get() ?? 0;
}

/**
 * A cache of one kind of reads. An answer is kept by its key where the connection's version is
 * watched; elsewhere every read is done. The version is asked first, so that no answer is older than
 * the version it is kept under. Callers share answers and must not change them.
 */
export function remembered<T>(): (db: Database, key: string, read: () => T) => T {
  const kept = new WeakMap<Database, { version: number; answers: Map<string, T> }>();
  return (db, key, read) => {
    // A transaction that is open sees the store as it was when it began.
    const version = db.inTransaction ? undefined : versions.get(db)?.();
    if (version === undefined) return read();
    const before = kept.get(db);
    const answers = before?.version === version ? before.answers : new Map<string, T>();
    if (answers !== before?.answers) kept.set(db, { version, answers });
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (answers.size >= MAX_KEPT) answers.clear();
    const answer = read();
    answers.set(key, answer);
    return answer;
  };
}
