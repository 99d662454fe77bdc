import type { Database } from 'better-sqlite3';
import { createLruCache } from '../core/lru.ts';

/** Statements kept per connection, the most recently used; a search runs about twenty. */
const KEPT = 128;

type Statement = ReturnType<Database['prepare']>;

/**
 * Makes a connection keep what it has prepared: a search would spend more than a millisecond preparing
 * the same statements again. `pluck` and `raw` return a statement of their own, so that no caller changes
 * what another one reads; other settings of a statement would.
 */
export function keepStatements<T extends Database>(db: T): T {
  const prepare = db.prepare.bind(db);
  const kept = createLruCache<Statement>(KEPT);
  return Object.defineProperty(db, 'prepare', {
    configurable: true,
    value: (sql: string): Statement => {
      const known = kept.get(sql);
      // One that is being iterated over cannot run again.
      if (known?.busy === false) return known;
      const statement = withModes(() => prepare(sql));
      kept.set(sql, statement);
      return statement;
    },
  });
}

function withModes(prepare: () => Statement): Statement {
  const plain = prepare();
  for (const mode of ['pluck', 'raw'] as const) {
    let other: Statement | undefined;
    Object.defineProperty(plain, mode, {
      value: (): Statement => {
        if (other?.busy !== false) other = prepare()[mode]();
        return other;
      },
    });
  }
  return plain;
}
