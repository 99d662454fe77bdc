import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { attempt, describeFailure } from '../../../src/app/attempt.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { HttpError } from '../../../src/upstream/failures.ts';

it.each([
  [new HttpError('status', 'example.org answered with status 500'), /^example.org .* 500\.$/],
  [new Database.SqliteError('database or disk is full', 'SQLITE_FULL'), /^The disk is full\./],
  [
    new Database.SqliteError('cannot store REAL value', 'SQLITE_CONSTRAINT_DATATYPE'),
    /^The shelf could not be written \(SQLITE_CONSTRAINT_DATATYPE\)\. Run `quantshelf doctor` for details\.$/,
  ],
  ['a text', /^a text$/],
])('a sync that fails with "%s" reports a text that matches %s', (error, words) => {
  expect(describeFailure(error, tmpdir())).toMatch(words);
});

it('the first failure of a sync goes into its report, and a later one into the log', async () => {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const run = { home: tmpdir(), signal, log: (line: string) => lines.push(line) };
  const report = { finished: false, error: null };
  const fail = (what: string) => () => Promise.reject(new Error(what));
  await attempt(run, report, fail('The first failed.'));
  await attempt(run, report, fail('The second failed.'));
  expect(report.error).toBe('The first failed.');
  expect(lines).toEqual(['The second failed.']);
});
