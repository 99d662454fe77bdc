import { expect, it } from 'vitest';
import type { Reader } from '../../../src/core/reader.ts';
import { Database } from '../../../src/store/sqlite.ts';

it('a reader runs queries; a statement that writes does not compile', () => {
  const db: Reader = new Database(':memory:');
  // @ts-expect-error: a statement of a reader has no `run`.
  db.prepare('CREATE TABLE shelf (id)').run();
  // @ts-expect-error: nor has the reader an `exec`.
  db.exec('INSERT INTO shelf VALUES (1)');
  expect(db.prepare<[], number>('SELECT count(*) FROM shelf').pluck().get()).toBe(1);
});
