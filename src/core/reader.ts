import type { Database } from 'better-sqlite3';

/**
 * The read side of a connection, for handlers and queries; every `Database` satisfies it. Parameters are
 * unchecked: TypeScript cannot compare the conditional types by which better-sqlite3 checks them.
 */
export interface Reader extends Pick<Database, 'transaction'> {
  prepare<_Parameters extends object = unknown[], Row = unknown>(sql: string): Query<Row>;
}

interface Query<Row> {
  get(...parameters: unknown[]): Row | undefined;
  all(...parameters: unknown[]): Row[];
  iterate(...parameters: unknown[]): IterableIterator<Row>;
  pluck(): Query<Row>;
  raw(): Query<Row>;
}
