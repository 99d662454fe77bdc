import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { FredRequestError, readFredKey } from '../areas/macro/fred.ts';
import { venuesOf } from '../areas/markets/pulls.ts';
import { listPulls } from '../areas/markets/queries.ts';
import { type Config, storePath } from '../config.ts';
import { ServiceError } from '../core/errors.ts';
import { tryEmbedding } from '../embedding/embedder.ts';
import { findModel, findRuntime } from '../embedding/files.ts';
import { isPlatformSupported, MODEL_STAMP, PLATFORMS } from '../embedding/pinned.ts';
import { storedModel } from '../store/embedding-model.ts';
import { acceptsConnection, routeTo } from '../upstream/dispatcher.ts';
import { type Check, checkStore, failed, firstLine, passed } from './doctor-store.ts';
import type { Terminal } from './terminal.ts';

/** `quantshelf doctor`. Opens nothing as a server does, so it works when a server cannot start. */
export async function runDoctor(
  config: Config,
  { json }: { json: boolean },
  { print }: Pick<Terminal, 'print'>,
): Promise<number> {
  const report = await examine(config);
  print(json ? JSON.stringify(report) : report.checks.map(renderCheck).join('\n'));
  return report.ok ? 0 : 1;
}

/** `ok` is false when something is broken; what is merely missing leaves it true. */
export async function examine(config: Config): Promise<{ ok: boolean; checks: Check[] }> {
  const model = await checkModel(config);
  const natives = await checkNativeModules();
  const checks = [
    // The launcher refuses an older one.
    passed('node', `Node ${process.versions.node}`),
    natives,
    await checkVectorSearch(natives),
    ...(await checkStore(config.home)),
    model,
    checkFredKey(config.fredKey),
    await checkUpstreams(config, model.ok),
  ];
  return {
    ok: checks.every(({ state }) => state !== 'fault'),
    checks: config.offline ? checks.map(goOnline) : checks,
  };
}

/** A fix that downloads is preceded by what allows that. */
function goOnline(check: Check): Check {
  const { fix } = check;
  const downloads = ['`quantshelf model`', '`quantshelf sync '].some((words) =>
    fix?.includes(words),
  );
  return downloads ? { ...check, fix: `Unset QUANTSHELF_OFFLINE first. ${fix}` } : check;
}

const LABELS = { ok: 'ok     ', missing: 'missing', fault: 'FAULT  ' } as const;

/** One line, and one for the fix. */
function renderCheck({ name, state, detail, fix }: Check): string {
  const line = `${LABELS[state]} ${name.padEnd(16)} ${detail}`;
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
    const detail = unavailable === null ? firstLine(error) : String(unavailable.cause);
    return failed(name, detail, unavailable?.message ?? null);
  }
}

/** Builds of sqlite-vec exist for the usual platforms only; without one, search is lexical. */
async function checkVectorSearch({ ok: hasSqlite }: Check): Promise<Check> {
  const name = 'vector_search';
  if (!hasSqlite) {
    const detail = 'sqlite-vec is an extension of SQLite, which cannot be loaded';
    return failed(name, detail, 'Repair native_modules first.', 'missing');
  }
  const { Database, INSTALL_AGAIN, loadVectorExtension } = await import('../store/sqlite.ts');
  const db = new Database(':memory:');
  const fault = loadVectorExtension(db);
  db.close();
  if (fault === null) return passed(name, 'sqlite-vec loads');
  const detail = `sqlite-vec cannot be loaded (${fault.message}), so search is lexical only`;
  const fix = `${INSTALL_AGAIN} sqlite-vec runs on Linux with glibc and macOS (x64, arm64) and on Windows (x64); elsewhere, as on Alpine Linux, search is lexical only.`;
  return failed(name, detail, fix, 'missing');
}

const DOWNLOAD =
  'Download it once with `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a copy. Until then search is lexical only.';

/** Not the files alone: whether search can use them, and whether the shelf's vectors are the model's. */
export async function checkModel(config: Config): Promise<Check> {
  if (!isPlatformSupported()) {
    const detail = `ONNX Runtime has no build for ${process.platform} ${process.arch}, so search is lexical only`;
    return missing(detail, `It runs on ${PLATFORMS.join(', ')}.`);
  }
  const stamp = (await readStore(config.home, storedModel)) ?? MODEL_STAMP;
  if (stamp !== MODEL_STAMP) {
    return missing(
      `another version of QuantShelf embedded the shelf with ${stamp}, so search is lexical only`,
      'Upgrade with `npx -y quantshelf@latest`.',
    );
  }
  try {
    const directory = await findModel(config);
    if (directory === null) return missing('not on this machine', DOWNLOAD);
    const runtime = await findRuntime(config);
    if (runtime === null) {
      return missing('ONNX Runtime, which runs the model, is missing or damaged', DOWNLOAD);
    }
    await tryEmbedding({ directory, runtime });
    return passed('model', `ready in ${directory}`);
  } catch (error) {
    return failed('model', firstLine(error), DOWNLOAD);
  }
}

function missing(detail: string, fix: string): Check {
  return failed('model', detail, fix, 'missing');
}

/** What the store says. Undefined where it cannot be read: another check says why. */
async function readStore<T>(home: string, read: (db: Database) => T): Promise<T | undefined> {
  const path = storePath(home);
  if (!existsSync(path)) return undefined;
  try {
    // Lazily: better-sqlite3 may be missing.
    const { openForReading } = await import('../store/open.ts');
    const db = openForReading(path);
    try {
      return read(db);
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}

/** Checks the form only: whether the key is known, FRED alone can say. */
function checkFredKey(given: string | undefined): Check {
  const name = 'fred_key';
  const site = 'https://fred.stlouisfed.org/docs/api/api_key.html';
  if (given === undefined) {
    return passed(
      name,
      `not set, so only figures that agencies publish are refreshed; a key is free at ${site}`,
    );
  }
  try {
    readFredKey(given);
    return passed(name, 'well-formed');
  } catch (error) {
    if (!(error instanceof FredRequestError)) throw error;
    const fix = `Set FRED_API_KEY to the key as FRED shows it (${site}), or unset it.`;
    return failed(name, error.message, fix);
  }
}

/**
 * Whether the upstreams' hosts, or the proxy to them, accept a connection. No request is sent: one
 * to arXiv would have to wait for its turn behind a running sync. Those of the model
 * matter only while it is not ready.
 */
export async function checkUpstreams(config: Config, hasModel: boolean): Promise<Check> {
  const { hubUrl, npmUrl, arxiv, fredKey, fredUrl, agencies, proxy } = config;
  const name = 'upstreams';
  if (config.offline) return passed(name, 'offline mode: not checked');
  const fred = fredKey === undefined ? [] : [fredUrl];
  const forModel = hasModel ? [] : [hubUrl, npmUrl];
  const macro = [...fred, ...Object.values(agencies)];
  const pulls = (await readStore(config.home, listPulls)) ?? [];
  const venues = venuesOf(pulls).map((venue) => config.venues[venue]);
  const sources = [...Object.values(arxiv), ...macro, ...venues].map((url) => new URL(url));
  const hosts = [...forModel.map((url) => new URL(url)), ...sources];
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map((url) => acceptsConnection(url, proxy)));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    const through = unique.some((url) => routeTo(url, proxy) !== url) ? ' (through the proxy)' : '';
    return passed(name, `reachable${through}: ${unique.map(({ host }) => host).join(', ')}`);
  }
  // Without a proxy, a machine that reaches no source is simply not on the network, even where a
  // registry nearby answers.
  const isMissing = proxy === undefined && sources.every(({ host }) => missing.includes(host));
  return failed(
    name,
    `${isMissing ? 'no source can be reached, so nothing is refreshed; ' : ''}unreachable: ${missing.join(', ')}`,
    `Check the network${proxy === undefined ? '' : ', and HTTPS_PROXY, HTTP_PROXY and NO_PROXY'}; to work without one, set QUANTSHELF_OFFLINE=1.`,
    isMissing ? 'missing' : 'fault',
  );
}
