import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { STARTER_PATH } from '../app/built.ts';
import { venuesOf } from '../areas/markets/sources/venues.ts';
import { eventIndex } from '../areas/markets/tables.ts';
import { paperIndex } from '../areas/papers/tables.ts';
import { type Config, storePath } from '../config.ts';
import { bytesFree, creationFault, nameHome, REMEDIES, storeFaultOf } from '../core/disk.ts';
import { firstLineOf, ServiceError } from '../core/errors.ts';
import { countOf, listPaths, toLogLine } from '../core/text.ts';
import { remedyForLoad, tryEmbedding } from '../embedding/embedder.ts';
import { findModel, findRuntime } from '../embedding/files.ts';
import { findNpmRegistry } from '../embedding/npm.ts';
import { PLATFORM_FAULT, PLATFORMS } from '../embedding/pinned.ts';
import { listDamagedVectors } from '../search/vectors.ts';
import { assertOwnStore, integrityFault, pendingMigrations } from '../store/migrations.ts';
import { acceptsConnection } from '../upstream/dispatcher.ts';
import { type Check, failed, passed } from './check.ts';
import { megabytes, type Terminal } from './terminal.ts';

/** Runs `quantshelf doctor`; returns the exit code. Works even when no server can start. */
export async function runDoctor(
  config: Config,
  { json }: { json: boolean },
  { print }: Pick<Terminal, 'print'>,
): Promise<number> {
  const model = await checkModel(config);
  const natives = await checkNativeModules();
  const checks = [
    // The launcher refuses unsupported versions.
    passed('node', `Node ${process.versions.node}`),
    natives,
    await checkVectorSearch(natives),
    await checkStore(config.home),
    model,
    ...(await checkOwnFiles(config.home)),
    await checkUpstreams(config, model.ok),
  ].map((check) =>
    config.offline && /`quantshelf (?:model|sync)/.test(check.fix ?? '')
      ? { ...check, fix: `Unset QUANTSHELF_OFFLINE first. ${check.fix}` }
      : check,
  );
  // A missing optional part breaks nothing.
  const ok = checks.every(({ state }) => state !== 'fault');
  print(json ? JSON.stringify({ ok, checks }) : checks.map(renderCheck).join('\n'));
  return ok ? 0 : 1;
}

const LABELS = { ok: 'ok     ', missing: 'missing', fault: 'FAULT  ' } as const;

/** One line for the result and one for the fix, if any. */
function renderCheck({ name, state, detail, fix }: Check): string {
  const line = `${LABELS[state]} ${name.padEnd(16)} ${toLogLine(detail)}`;
  return fix === null ? line : `${line}\n${''.padEnd(24)} fix: ${fix}`;
}

async function checkNativeModules(): Promise<Check> {
  const name = 'native_modules';
  try {
    const { Database } = await import('../store/sqlite.ts');
    const db = new Database(':memory:');
    const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get();
    db.close();
    return passed(name, `SQLite ${version}`);
  } catch (error) {
    const unavailable = error instanceof ServiceError ? error : null;
    const detail = unavailable === null ? firstLineOf(error) : String(unavailable.cause);
    return failed(name, detail, unavailable?.message ?? null);
  }
}

/** Checks whether sqlite-vec loads. It exists for common platforms only; without it, search is lexical. */
async function checkVectorSearch({ ok: hasSqlite }: Check): Promise<Check> {
  const name = 'vector_search';
  if (!hasSqlite) {
    const detail = 'not checked, because SQLite cannot be loaded';
    return failed(name, detail, 'Repair native_modules first.', 'missing');
  }
  const { Database, INSTALL_AGAIN, loadVectorExtension } = await import('../store/sqlite.ts');
  const db = new Database(':memory:');
  const fault = loadVectorExtension(db);
  db.close();
  if (fault === null) return passed(name, 'sqlite-vec loads');
  const detail = `sqlite-vec cannot be loaded (${fault.message}), so search is lexical only`;
  const fix = `${INSTALL_AGAIN} sqlite-vec runs on Linux with glibc and macOS (x64, arm64) and on Windows (x64); elsewhere, such as on Alpine Linux, search is lexical only.`;
  return failed(name, detail, fix, 'missing');
}

/** Free space that a call or a small sync may need, in bytes. */
const LEAST_ROOM = 10_000_000;

/** Checks whether the store is intact, and whether it can be written or created. */
export async function checkStore(home: string): Promise<Check> {
  const name = 'store_integrity';
  const path = storePath(home);
  if (!existsSync(path)) {
    const starter = statSync(STARTER_PATH, { throwIfNoEntry: false })?.size ?? 0;
    const detail = 'no store yet; the first call creates it';
    return checkRoom(home, starter + LEAST_ROOM, 'no store yet, and') ?? passed(name, detail);
  }
  try {
    // Loaded lazily: better-sqlite3 may be missing, which another check reports.
    const [{ migrations }, { openReadOnly }, { loadVectorExtension }] = await Promise.all([
      import('../app/store.ts'),
      import('../store/open.ts'),
      import('../store/sqlite.ts'),
    ]);
    const db = openReadOnly(path);
    try {
      // `checkVectorSearch` reports a failure.
      loadVectorExtension(db);
      assertIntact(db);
      const pending = pendingMigrations(db, migrations).length;
      const damaged = pending === 0 ? listDamaged(db) : [];
      if (damaged.length > 0) {
        const counts = damaged.map(({ area, count }) => `${count} in ${area}`).join(', ');
        const syncs = damaged.map(({ area }) => `\`quantshelf sync ${area}\``).join(' and ');
        return failed(name, `damaged search vectors: ${counts}`, `Recreate them with ${syncs}.`);
      }
      const fault = checkRoom(home, LEAST_ROOM, 'intact, but');
      if (fault !== null) return fault;
      accessSync(path, constants.R_OK | constants.W_OK);
      const wait = pending === 0 ? '' : `; the next start runs ${countOf(pending, 'migration')}`;
      return passed(name, `intact${wait}`);
    } finally {
      db.close();
    }
  } catch (error) {
    return failed(name, firstLineOf(error), fixFor(error, path, home));
  }
}

/** Throws unless `db` is an undamaged QuantShelf store; the message describes the damage. */
function assertIntact(db: Database): void {
  assertOwnStore(db);
  const fault = integrityFault(db);
  if (fault !== null) throw new Error(fault);
  const orphans = db.pragma('foreign_key_check');
  if (Array.isArray(orphans) && orphans.length > 0) {
    throw new Error(countOf(orphans.length, 'orphaned row'));
  }
}

/** Counts damaged search vectors by area; search finds their cards only by words. */
function listDamaged(db: Database) {
  return [
    { area: 'papers', count: listDamagedVectors(db, paperIndex.name).length },
    { area: 'markets', count: listDamagedVectors(db, eventIndex.name).length },
  ].filter(({ count }) => count > 0);
}

/** The fault that prevents creating or writing a store; null if there is none. */
function checkRoom(home: string, needed: number, state: string): Check | null {
  const fault = creationFault(home);
  // Checked first: a read-only disk may also have no free space, but freeing some would not help.
  if (fault === 'unwritable' || fault === 'file') {
    const what = fault === 'file' ? 'a file, or inside one' : 'not writable';
    const detail = `${state} the data directory is ${what}`;
    return failed('store_integrity', detail, nameHome(REMEDIES[fault], home));
  }
  const free = bytesFree(home);
  if (fault === null && free >= needed) return null;
  return failed(
    'store_integrity',
    free < needed
      ? `${state} the disk has only ${megabytes(free)} left`
      : `${state} your disk quota is used up`,
    `Free ${megabytes(needed)} on this disk, or set QUANTSHELF_HOME to a directory on another disk.`,
  );
}

/** The fix for an error thrown while opening or checking a store. */
export function fixFor(error: unknown, path: string, home: string): string {
  // Its message already says what to do.
  if (error instanceof ServiceError) return error.message;
  const fault = storeFaultOf(error, home);
  if (fault !== null && fault !== 'damaged') {
    return `${nameHome(REMEDIES[fault], home)} Nothing suggests that the store is damaged, so leave it where it is.`;
  }
  return (
    `Save the store with \`quantshelf backup FILE\`; if that fails, copy ${path}, with the files beside it ` +
    'that end in -wal and -shm. If you have an older backup, `quantshelf restore FILE` restores it. Otherwise ' +
    'move these files away; the next start creates a new store from the starter shelf. Keys, credits and synced data stay behind in the old one.'
  );
}

const DOWNLOAD =
  'Download the model and its runtime once with `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a directory that holds both. Until then search is lexical only.';

/** Checks that the model loads, not only that its files are there. */
async function checkModel(config: Config): Promise<Check> {
  const name = 'model';
  if (PLATFORM_FAULT !== null) {
    return failed(name, PLATFORM_FAULT, `It runs on ${PLATFORMS.join(', ')}.`, 'missing');
  }
  try {
    const directory = await findModel(config);
    if (directory === null) return failed(name, 'not on this machine', DOWNLOAD, 'missing');
    const runtime = await findRuntime(config);
    if (runtime === null) {
      const detail = `the model is in ${directory}, but ONNX Runtime, which runs it, is missing or damaged`;
      return failed(name, detail, DOWNLOAD, 'missing');
    }
    await tryEmbedding({ directory, runtime });
    return passed(name, `ready in ${directory}`);
  } catch (error) {
    const detail = firstLineOf(error);
    return failed(name, detail, remedyForLoad(detail) ?? DOWNLOAD);
  }
}

/**
 * Checks whether the upstreams' hosts accept a connection, and the model's hosts if the model is missing,
 * through the proxy if there is one. Sends no request, since one to arXiv would have to wait for a running sync.
 */
export async function checkUpstreams(config: Config, hasModel: boolean): Promise<Check> {
  const { hubUrl, npmUrl, arxiv, fredKey, fredUrl, agencies, proxy } = config;
  const name = 'upstreams';
  if (config.offline) return passed(name, 'offline mode: not checked');
  const forModel = hasModel
    ? []
    : [hubUrl, npmUrl ?? (await findNpmRegistry(config).catch(() => []))].flat();
  const { listPulls } = await import('../areas/markets/queries.ts');
  const venues = venuesOf((await readStore(config.home, listPulls)) ?? []);
  const addresses = [
    ...Object.values(arxiv),
    ...(fredKey === undefined ? [] : [fredUrl]),
    ...Object.values(agencies),
    ...venues.map((name) => config.venues[name]),
  ].map((url) => new URL(url));
  const hosts = [...forModel.map((url) => new URL(url)), ...addresses];
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map((url) => acceptsConnection(url, proxy)));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    return passed(name, `reachable: ${unique.map(({ host }) => host).join(', ')}`);
  }
  // Without a proxy, a machine that reaches no upstream is offline, even if an npm registry answers.
  const isMissing = proxy === undefined && addresses.every(({ host }) => missing.includes(host));
  return failed(
    name,
    `${isMissing ? 'no upstream can be reached, so nothing is refreshed; ' : ''}unreachable: ${missing.join(', ')}`,
    `Check the network${proxy === undefined ? '' : ', and HTTPS_PROXY, HTTP_PROXY and NO_PROXY'}; to work offline, set QUANTSHELF_OFFLINE=1.`,
    isMissing ? 'missing' : 'fault',
  );
}

/** Reports the user's own files that have moved or disappeared. */
async function checkOwnFiles(home: string): Promise<Check[]> {
  const { listOwnFiles } = await import('../areas/papers/own-store.ts');
  const paths = ((await readStore(home, listOwnFiles)) ?? []).map(({ path }) => path);
  const gone = paths.filter((path) => !existsSync(path));
  if (paths.length === 0) return [];
  if (gone.length === 0) {
    return [passed('own_files', `${countOf(paths.length, 'file')} still in place`)];
  }
  const fix =
    'If a file has moved, run `quantshelf add` on it; if it is gone, run `quantshelf remove` on its path.';
  return [failed('own_files', `no longer there: ${listPaths(gone)}`, fix, 'missing')];
}

/** Data read from the store; null if it is missing or unreadable, which the integrity check reports. */
async function readStore<T>(home: string, read: (db: Database) => T): Promise<T | null> {
  if (!existsSync(storePath(home))) return null;
  try {
    const { openReadOnly } = await import('../store/open.ts');
    const db = openReadOnly(storePath(home));
    try {
      return read(db);
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}
