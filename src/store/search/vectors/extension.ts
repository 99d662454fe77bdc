import type { Database } from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';

/**
 * Loads the SQL functions of sqlite-vec into a connection, which searching by vector needs and
 * writing does not. Returns why it could not: sqlite-vec has builds for x64 and arm64 on macOS, x64
 * on Windows, and both on Linux with glibc.
 */
export function loadVectorExtension(db: Database): Error | null {
  try {
    db.loadExtension(getLoadablePath());
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
