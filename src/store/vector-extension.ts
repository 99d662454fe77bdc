import { createRequire } from 'node:module';
import type { Database } from 'better-sqlite3';
import { assertNotCut } from '../core/native-file.ts';

/**
 * Loads sqlite-vec into a connection, for searching by vector and for keeping the signs of vectors in
 * step (`bits.ts`). Returns an error of one line if it cannot: sqlite-vec has builds for macOS and Linux
 * with glibc on x64 and arm64, and for Windows on x64.
 */
export function loadVectorExtension(db: Database): Error | null {
  try {
    const require = createRequire(import.meta.url);
    const { getLoadablePath }: typeof import('sqlite-vec') = require('sqlite-vec');
    const path = getLoadablePath();
    assertNotCut(path);
    db.loadExtension(path);
    return null;
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return new Error(line, { cause: error });
  }
}
