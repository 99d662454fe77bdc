import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withProcessLock } from '../src/store/lock.ts';

/**
 * What `make` returns, once in a run of the tests: the first worker that asks calls it, the others wait and are
 * told the same. It is given the path of a folder or file of its own, which goes when the run ends.
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
