import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { ServiceError } from '../core/errors.ts';

/** Node-API 10 came with Node 22.14 and 23.6; better-sqlite3 13 kills the process without it. */
const NODE_API = 10;

/** Types that go with the value of the same name. */
export declare namespace Database {
  type Database = BetterSqlite3.Database;
}

/**
 * better-sqlite3: version 13, which brings its binaries, where Node can run it; else version 12, an
 * optional dependency that npm downloads or compiles. Throws `service_unavailable` when it is loaded
 * for the first time and its native part is missing or broken; the cause is one line.
 */
export const Database = load(
  Number(process.versions.napi) >= NODE_API ? 'better-sqlite3' : 'better-sqlite3-node20',
);

function load(name: string): typeof BetterSqlite3 {
  try {
    const library: typeof BetterSqlite3 = createRequire(import.meta.url)(name);
    // The native part is loaded with the first connection.
    new library(':memory:').close();
    return library;
  } catch (error) {
    throw unavailable(name, error);
  }
}

function unavailable(name: string, error: unknown): ServiceError {
  const remedy =
    name === 'better-sqlite3'
      ? 'Install it again with `npm install --global quantshelf` and start `quantshelf`; it runs on Linux, macOS and Windows (x64, arm64).'
      : 'Use Node 22.14 or newer, which needs no compiler.';
  const failure = new ServiceError(
    'service_unavailable',
    `SQLite cannot be loaded on Node ${process.versions.node}. ${remedy}`,
  );
  failure.cause = `${name}: ${reasonOf(error)}`;
  return failure;
}

/** The loader lists each place where it looked, on a line of its own. */
function reasonOf(error: unknown): string {
  const line = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  if (line.startsWith('Could not locate the bindings file')) {
    return 'its native part was neither downloaded nor compiled, or npm did not run its install script';
  }
  return line.startsWith('Cannot find module') ? 'it is not installed' : line;
}
