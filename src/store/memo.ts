import type { Database } from 'better-sqlite3';

/**
 * What was computed from the rows that a connection reads, kept until another connection writes. Only
 * for connections that write nothing it is computed from: SQLite does not count a connection's own writes.
 */
class Memo {
  readonly #readVersion: () => unknown;
  readonly #values = new Map<string, object>();
  #version: unknown;

  constructor(readVersion: () => unknown) {
    this.#readVersion = readVersion;
  }

  recall<T extends object>(key: string, { type, compute }: Recalled<T>): T {
    const version = this.#readVersion();
    if (version !== this.#version) this.#values.clear();
    this.#version = version;
    const known = this.#values.get(key);
    if (known instanceof type) return known;
    const value = compute();
    this.#values.set(key, value);
    return value;
  }
}

export interface Recalled<T extends object> {
  /** The class of the value. */
  type: abstract new (
    ...values: never[]
  ) => T;
  compute(): T;
}

/** Gives a connection that reads a memory for `recall`. */
export function rememberReads<T extends Database>(db: T): T {
  const readVersion = () => db.prepare('PRAGMA data_version').pluck().get();
  return Object.defineProperty(db, 'memo', { value: new Memo(readVersion) });
}

/**
 * A value computed from the rows of the store; the one computed before, if the connection remembers it
 * and nobody else has written since. A key always has the same type, and there are few of them.
 */
export function recall<T extends object>(db: Database, key: string, recalled: Recalled<T>): T {
  const memo = 'memo' in db ? db.memo : null;
  return memo instanceof Memo ? memo.recall(key, recalled) : recalled.compute();
}
