import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { describeFailure, StoppedError } from '../../../../src/cli/sync/sync-run.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { HttpError } from '../../../../src/upstream/errors.ts';

it.each([
  [new HttpError('status', 'example.org answered with status 500'), /^example.org .* 500\.$/],
  [new StoppedError(), /^Stopped\./],
  [new Database.SqliteError('database or disk is full', 'SQLITE_FULL'), /^The disk is full\./],
  ['a text', /^a text$/],
])('says in our words what ended a sync run: %s', (error, words) => {
  expect(describeFailure(error, tmpdir())).toMatch(words);
});

it('keeps the words of SQLite to itself', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE market (id INTEGER) STRICT');
  try {
    db.prepare('INSERT INTO market VALUES (1.5)').run();
    expect.unreachable();
  } catch (error) {
    expect(describeFailure(error, tmpdir())).toMatch(
      /^The shelf could not be written \(SQLITE_CONSTRAINT/,
    );
    expect(describeFailure(error, tmpdir())).not.toContain('REAL');
  } finally {
    db.close();
  }
});
