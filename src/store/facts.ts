import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

/** Small named facts about the store itself, such as the model its vectors came from. */
export const factsMigrations: readonly Migration[] = [
  {
    name: 'store-1-facts',
    up(db) {
      db.exec('CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT');
    },
  },
];

export function readFact(db: Database, key: string): string | undefined {
  return db
    .prepare<{ key: string }, string>('SELECT value FROM facts WHERE key = @key')
    .pluck()
    .get({ key });
}

export function writeFact(db: Database, key: string, value: string): void {
  db.prepare(`
    INSERT INTO facts (key, value) VALUES (@key, @value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`).run({ key, value });
}
