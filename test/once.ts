import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withProcessLock } from '../src/store/lock.ts';

/**
 * Calls `make` once per test run and returns its result: the first worker calls it, the others wait. `make`
 * gets a path for a folder or file of its own, which is removed when the run ends.
 */
export async function onceInRun(
  name: string,
  make: (place: string) => Promise<string> | string,
): Promise<string> {
  const { QUANTSHELF_TEST_SCRATCH: scratch } = process.env;
  if (scratch === undefined) throw new Error('only tests under Vitest have a folder to share');
  const place = join(scratch, name);
  const made = `${place}.made`;
  return withProcessLock(`${place}.lock`, async () => {
    if (!existsSync(made)) writeFileSync(made, await make(place));
    return readFileSync(made, 'utf8');
  });
}
