import { existsSync } from 'node:fs';
import type { VenueName } from '../areas/markets/sources/venues.ts';
import { type Config, storePath } from '../config.ts';
import { ServiceError } from '../core/errors.ts';
import { tryEmbedding } from '../embedding/embedder.ts';
import { findModel, findRuntime } from '../embedding/files.ts';
import { isPlatformSupported, PLATFORMS } from '../embedding/pinned.ts';
import { acceptsConnection } from '../upstream/dispatcher.ts';
import { type Check, checkStore, failed, firstLine, passed } from './doctor-store.ts';
import type { Terminal } from './terminal.ts';

/** `quantshelf doctor`. Opens nothing as a server does, so it works when a server cannot start. */
export async function runDoctor(
  config: Config,
  { json }: { json: boolean },
  { print }: Pick<Terminal, 'print'>,
): Promise<number> {
  const model = await checkModel(config);
  const natives = await checkNativeModules();
  const checks = [
    // The launcher refuses an older one.
    passed('node', `Node ${process.versions.node}`),
    natives,
    await checkVectorSearch(natives),
    await checkStore(config.home),
    model,
    await checkUpstreams(config, model.ok),
  ];
  // What is merely missing breaks nothing.
  const ok = checks.every(({ state }) => state !== 'fault');
  print(json ? JSON.stringify({ ok, checks }) : checks.map(renderCheck).join('\n'));
  return ok ? 0 : 1;
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

/** Not the files alone: whether they load. */
async function checkModel(config: Config): Promise<Check> {
  const name = 'model';
  if (!isPlatformSupported()) {
    const detail = `ONNX Runtime has no build for ${process.platform} ${process.arch}, so search is lexical only`;
    return failed(name, detail, `It runs on ${PLATFORMS.join(', ')}.`, 'missing');
  }
  try {
    const directory = await findModel(config);
    if (directory === null) return failed(name, 'not on this machine', DOWNLOAD, 'missing');
    const runtime = await findRuntime(config);
    if (runtime === null) {
      const detail = 'ONNX Runtime, which runs the model, is missing or damaged';
      return failed(name, detail, DOWNLOAD, 'missing');
    }
    await tryEmbedding({ directory, runtime });
    return passed(name, `ready in ${directory}`);
  } catch (error) {
    return failed(name, firstLine(error), DOWNLOAD);
  }
}

/**
 * Whether the upstreams' hosts accept a connection, through the proxy if there is one. No request is sent: one
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
  const venues = (await readVenues(config)).map((venue) => config.venues[venue]);
  const sources = [...Object.values(arxiv), ...macro, ...venues].map((url) => new URL(url));
  const hosts = [...forModel.map((url) => new URL(url)), ...sources];
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map((url) => acceptsConnection(url, proxy)));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    return passed(name, `reachable: ${unique.map(({ host }) => host).join(', ')}`);
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

/** The venues that are asked for events; those of a new shelf where the store cannot be read. */
async function readVenues({ home }: Config): Promise<readonly VenueName[]> {
  const [{ openForReading }, { venuesOf }, { listPulls }] = await Promise.all([
    import('../store/open.ts'),
    import('../areas/markets/sources/venues.ts'),
    import('../areas/markets/queries.ts'),
  ]);
  if (!existsSync(storePath(home))) return venuesOf([]);
  try {
    const db = openForReading(storePath(home));
    try {
      return venuesOf(listPulls(db));
    } finally {
      db.close();
    }
  } catch {
    return venuesOf([]);
  }
}
