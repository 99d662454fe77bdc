import type { Database } from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';

/**
 * Loads the SQL functions of sqlite-vec into a connection; vector search needs them, writing does
 * not. Returns the error if it cannot: sqlite-vec has builds for macOS and Linux with glibc on x64
 * and arm64, and for Windows on x64.
 */
export function loadVectorExtension(db: Database): Error | null {
  try {
    db.loadExtension(getLoadablePath());
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
