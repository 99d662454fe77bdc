import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

/** The directory of data that is beside the repository and not part of it. */
export const SHARED_DIR =
  process.env.QUANTSHELF_SHARED_DIR || fileURLToPath(new URL('../../shared', import.meta.url));

/** Tests that need `path` in the shared directory; if it is missing, a single skipped test says so. */
export function describeShared(title: string, path: string, body: (absolute: string) => void) {
  const absolute = join(SHARED_DIR, path);
  if (existsSync(absolute)) describe(title, () => body(absolute));
  else it.skip(`${title}: ${path} is not beside the repository`, () => {});
}
