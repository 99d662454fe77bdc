import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { codeOf, firstLineOf, serviceUnavailable } from '../core/errors.ts';
import { IS_NPX } from '../core/text.ts';

/** Node-API 10 came with Node 22.14 and 23.6; better-sqlite3 13 kills the process without it. */
const HAS_NODE_API = Number(process.versions.napi) >= 10;

/** Alias of better-sqlite3 12, installed only in a development tree. */
const FOR_NODE_20 = 'better-sqlite3-node20';
const OTHER_NODE = 'it was installed for another version of Node';
const DAMAGED = 'its native binary is damaged or built for another platform';
/** Command that makes npm install better-sqlite3 12, which QuantShelf also accepts, instead of 13. */
const WITH_VERSION_12 = 'npx -y -p better-sqlite3@12.11.1 -p quantshelf quantshelf';

const HEADER_BYTES = 64;
/** Start of the ELF header of every Linux library we load: magic number, 64-bit, little-endian. */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);

/**
 * Remedy for an incomplete installation. A global install keeps npx from reusing the same files, and `--include`
 * overrides `omit=optional` in npm's settings.
 */
export const INSTALL_AGAIN =
  'Install QuantShelf again with `npm install --global --include=optional quantshelf`, then start `quantshelf`.';

/** npx shares its installed packages between versions of Node. */
const EMPTY_NPX =
  "Delete the folder `_npx` in npm's cache, whose path `npm config get cache` prints, and start QuantShelf again. Otherwise npx reuses what another version of Node installed.";

/** Types for the value of the same name. */
export declare namespace Database {
  type Database = BetterSqlite3.Database;
  type Options = BetterSqlite3.Options;
}

/**
 * better-sqlite3. npm installs version 13, which includes binaries, or on Node 20 version 12, whose binary it
 * downloads or compiles; a development tree has both. Importing this module throws `service_unavailable` if the
 * package or its native binary is missing or does not suit this Node; the cause is one line.
 */
export const Database = load();

function load(): typeof BetterSqlite3 {
  const require = createRequire(import.meta.url);
  const { dlopen } = process;
  // Checked while loading, because the path varies with the package's version, the C library and compilation.
  process.dlopen = (module, path, ...flags) => {
    assertNotCut(path);
    dlopen.call(process, module, path, ...flags);
  };
  try {
    const library: typeof BetterSqlite3 = require(pickVersion(require));
    // The first connection loads the native binary.
    new library(':memory:').close();
    return library;
  } catch (error) {
    const reason = reasonOf(error);
    throw serviceUnavailable(
      `SQLite cannot be loaded on Node ${process.versions.node}. ${remedyFor(reason)}`,
      `better-sqlite3: ${reason}`,
    );
  } finally {
    process.dlopen = dlopen;
  }
}

/** The package to load, determined before loading any of it. */
function pickVersion(require: NodeJS.Require): string {
  if (HAS_NODE_API) return 'better-sqlite3';
  if (canResolve(require, FOR_NODE_20)) return FOR_NODE_20;
  const { version }: { version: string } = require('better-sqlite3/package.json');
  if (Number.parseInt(version, 10) <= 12) return 'better-sqlite3';
  // Version 13 would kill the process. npm on Node 20 refuses it, so another Node must have installed it.
  if (process.versions.node.startsWith('20.')) throw new Error(OTHER_NODE);
  throw new Error('version 13 is installed, which this Node cannot load');
}

function canResolve(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

function remedyFor(reason: string): string {
  if (canResolve(createRequire(import.meta.url), FOR_NODE_20)) {
    return 'Run `npm ci`, which installs what this Node needs.';
  }
  if (reason === OTHER_NODE && IS_NPX) return EMPTY_NPX;
  if (HAS_NODE_API || reason.startsWith(DAMAGED))
    return `${INSTALL_AGAIN} QuantShelf runs on Linux, macOS and Windows (x64, arm64).`;
  return `Use Node 22.14 or newer, which needs no compiler, or start QuantShelf with \`${WITH_VERSION_12}\`; compiling may take minutes.`;
}

/** Why loading failed, on one line; loaders add the searched places, or other remedies, on further lines. */
function reasonOf(error: unknown): string {
  const line = firstLineOf(error);
  if (String(error).includes('NODE_MODULE_VERSION')) return OTHER_NODE;
  if (/^Cannot find module '.*\.node'/.test(line)) return 'its native binary is missing';
  if (line.startsWith('Cannot find module')) {
    return 'it is not installed; npm skips it if `omit=optional` is set, or if its binary can be neither downloaded nor compiled';
  }
  // glibc reports a file for another processor as missing.
  return codeOf(error) === 'ERR_DLOPEN_FAILED' ? `${DAMAGED}: ${line}` : line;
}

/**
 * Loads sqlite-vec, for vector search, into a connection. Returns an error with a one-line message if that
 * fails: sqlite-vec has builds for macOS and Linux with glibc on x64 and arm64, and for Windows on x64.
 */
export function loadVectorExtension(db: BetterSqlite3.Database): Error | null {
  try {
    const require = createRequire(import.meta.url);
    const { getLoadablePath }: typeof import('sqlite-vec') = require('sqlite-vec');
    const path = getLoadablePath();
    assertNotCut(path);
    db.loadExtension(path);
    return null;
  } catch (error) {
    return new Error(firstLineOf(error), { cause: error });
  }
}

/**
 * Throws if a Linux library is truncated, as after npm was killed while unpacking it: loading it would kill the
 * process with SIGBUS. Linkers put the section headers last, at an offset that the ELF header gives. Other files
 * are left to the loader, which rejects damaged ones itself.
 */
function assertNotCut(path: string): void {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    if (!header.subarray(0, ELF.length).equals(ELF)) return;
    const sections = Number(header.readBigUInt64LE(0x28));
    const end = sections + header.readUInt16LE(0x3a) * header.readUInt16LE(0x3c);
    if (end <= fstatSync(file).size) return;
  } finally {
    closeSync(file);
  }
  // The loader's own message for a file shorter than its header.
  throw Object.assign(new Error(`${path}: file too short`), { code: 'ERR_DLOPEN_FAILED' });
}
