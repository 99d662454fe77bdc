import { closeSync, copyFileSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLazyApp } from '../../src/app/lazy-app.ts';
import { checkStore } from '../../src/cli/doctor.ts';
import { readConfig, storePath } from '../../src/config.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { type CallResult, run } from '../../src/core/run.ts';
import { operations } from '../../src/operations.ts';
import { makeHome, root } from './support.ts';

const PAGES = 30;
const PAGE_BYTES = 4_096;
const starterPath = join(root, 'dist', 'starter.sqlite');

/** The result of every example on a shelf whose page `page` is noise; with null, on an intact shelf. */
async function callAllWith(home: string, page: number | null): Promise<CallResult[]> {
  const path = storePath(home);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  copyFileSync(starterPath, path);
  if (page !== null) {
    const file = openSync(path, 'r+');
    // The noise depends only on the page, and has all byte values, so lengths and pointers are wrong as well.
    const noise = Buffer.from(
      Array.from({ length: PAGE_BYTES }, (_, at) => (at * 31 + page * 97 + ((at * at) >> 5)) % 256),
    );
    writeSync(file, noise, 0, PAGE_BYTES, page * PAGE_BYTES);
    closeSync(file);
  }
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  const app = createLazyApp(config, { mode: 'one-shot', starterPath, log: () => {} });
  try {
    const results: CallResult[] = [];
    for (const operation of operations) {
      const caller = { open: app.open, log: () => {}, requestId: operation.name };
      results.push(await run(operation, operation.example, caller));
    }
    return results;
  } finally {
    await app.close();
  }
}

it('if a corrupted page makes a call fail, the status is 503, and doctor finds the damage', async () => {
  const home = makeHome();
  const sound = await callAllWith(home, null);
  expect(sound.every(({ ok }) => ok)).toBe(true);
  const pages = statSync(starterPath).size / PAGE_BYTES;
  const counts = { right: 0, refused: 0, wrong: 0, found: 0 };
  for (let turn = 0; turn < PAGES; turn += 1) {
    // Spread over the whole file; the first two pages are the schema.
    const page = turn < 2 ? turn : Math.floor(((turn - 0.5) / PAGES) * pages);
    const results = await callAllWith(home, page).catch((error: unknown) => {
      expect(error).toBeInstanceOf(ServiceError);
      return [];
    });
    for (const [at, result] of results.entries()) {
      if (!result.ok) {
        counts.refused += 1;
        expect(result.status, operations[at]?.name).toBe(503);
        continue;
      }
      const expected = sound[at];
      const isRight =
        expected?.ok === true &&
        JSON.stringify(result.envelope.data) === JSON.stringify(expected.envelope.data);
      counts[isRight ? 'right' : 'wrong'] += 1;
    }
    const isFound = !(await checkStore(home)).ok;
    if (isFound) counts.found += 1;
    if (results.length === 0 || results.some(({ ok }) => !ok)) expect(isFound).toBe(true);
  }
  process.stdout.write(`corrupted pages: ${JSON.stringify(counts)}\n`);
  expect(counts.refused).toBeGreaterThan(0);
  expect(counts.right).toBeGreaterThan(counts.wrong);
});
