import { existsSync } from 'node:fs';
import { STARTER_PATH } from '../../app/files.ts';
import { FredRequestError, readFredKey } from '../../areas/macro/source.ts';
import type { Config } from '../../config.ts';
import { ServiceError } from '../../core/errors.ts';
import { acceptsConnection, routeTo } from '../../upstream/dispatcher.ts';
import type { Terminal } from '../terminal.ts';
import { type Check, firstLine, type State, stateOf } from './check.ts';
import { checkModel } from './model.ts';
import { checkStore } from './store.ts';

const MIN_NODE: readonly [number, number] = [20, 19];

/** `quantshelf doctor`. Opens nothing as a server does, so it works when a server cannot start. */
export async function runDoctor(
  config: Config,
  { json, deep }: { json: boolean; deep: boolean },
  { print }: Pick<Terminal, 'print'>,
): Promise<number> {
  const report = await examine(config, deep);
  print(
    json
      ? JSON.stringify({ ...report, checks: report.checks.map(toJson) })
      : renderChecks(report.checks),
  );
  return report.ok ? 0 : 1;
}

/** `ok` is false when something is broken; what is merely missing leaves it true. */
export async function examine(
  config: Config,
  deep = false,
): Promise<{ ok: boolean; checks: Check[] }> {
  const model = await checkModel(config);
  const natives = await checkNativeModules();
  const checks = [
    checkNode(process.versions.node),
    natives,
    await checkVectorSearch(natives),
    // Without SQLite nothing can be said of it.
    ...(natives.ok ? [await checkStarter()] : []),
    ...(await checkStore(config.home, deep)),
    model,
    checkFredKey(config.fredKey),
    await checkUpstreams(config, model.ok),
  ];
  return { ok: checks.every((check) => stateOf(check) !== 'fault'), checks };
}

function toJson(check: Check) {
  const { name, ok, detail, fix } = check;
  return { name, ok, state: stateOf(check), detail, fix };
}

const LABELS: Readonly<Record<State, string>> = {
  ok: 'ok     ',
  missing: 'missing',
  fault: 'FAULT  ',
};

/** One line per check, for people. */
function renderChecks(checks: readonly Check[]): string {
  return checks
    .map((check) => {
      const { name, detail, fix } = check;
      const line = `${LABELS[stateOf(check)]} ${name.padEnd(16)} ${detail}`;
      return fix === null ? line : `${line}\n${''.padEnd(24)} fix: ${fix}`;
    })
    .join('\n');
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  return {
    name: 'node',
    ok,
    detail: `Node ${version}`,
    fix: ok ? null : `Install Node ${MIN_NODE.join('.')} or newer.`,
  };
}

async function checkNativeModules(): Promise<Check> {
  const name = 'native_modules';
  try {
    const { Database } = await import('../../store/sqlite.ts');
    const db = new Database(':memory:');
    const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get();
    db.close();
    return { name, ok: true, detail: `SQLite ${version}`, fix: null };
  } catch (error) {
    const unavailable = error instanceof ServiceError ? error : null;
    const detail = unavailable === null ? firstLine(error) : String(unavailable.cause);
    return { name, ok: false, detail, fix: unavailable?.message ?? null };
  }
}

/** Builds of sqlite-vec exist for the usual platforms only; without one, search is lexical. */
async function checkVectorSearch({ ok: hasSqlite }: Check): Promise<Check> {
  const name = 'vector_search';
  if (!hasSqlite) {
    const detail = 'sqlite-vec is an extension of SQLite, which cannot be loaded';
    return { name, ok: false, isMissing: true, detail, fix: 'Repair native_modules first.' };
  }
  const [{ Database, INSTALL_AGAIN }, { loadVectorExtension }] = await Promise.all([
    import('../../store/sqlite.ts'),
    import('../../store/search/vectors/extension.ts'),
  ]);
  const db = new Database(':memory:');
  const fault = loadVectorExtension(db);
  db.close();
  if (fault === null) return { name, ok: true, detail: 'sqlite-vec loads', fix: null };
  const detail = `sqlite-vec cannot be loaded (${fault.message}), so search is lexical only`;
  const fix = `${INSTALL_AGAIN} sqlite-vec runs on Linux with glibc and macOS (x64, arm64) and on Windows (x64); elsewhere, as on Alpine Linux, search is lexical only.`;
  return { name, ok: false, isMissing: true, detail, fix };
}

/** Checks the form only: whether the key is known, FRED alone can say. */
function checkFredKey(given: string | undefined): Check {
  const name = 'fred_key';
  const site = 'https://fred.stlouisfed.org/docs/api/api_key.html';
  if (given === undefined) {
    const detail = `not set, so only figures that agencies publish are refreshed; a key is free at ${site}`;
    return { name, ok: true, detail, fix: null };
  }
  try {
    readFredKey(given);
    return { name, ok: true, detail: 'well-formed', fix: null };
  } catch (error) {
    if (!(error instanceof FredRequestError)) throw error;
    const fix = `Set FRED_API_KEY to the key as FRED shows it (${site}), or unset it.`;
    return { name, ok: false, detail: error.message, fix };
  }
}

/** Whether the bundled shelf, from which new stores and repairs come, is there and sound. */
export async function checkStarter(path = STARTER_PATH): Promise<Check> {
  const name = 'starter_shelf';
  const [{ withIntactStore }, { INSTALL_AGAIN }] = await Promise.all([
    import('./integrity.ts'),
    import('../../store/sqlite.ts'),
  ]);
  try {
    return withIntactStore(path, () => ({ name, ok: true, detail: 'intact', fix: null }));
  } catch (error) {
    const detail = existsSync(path)
      ? `the bundled shelf is damaged (${firstLine(error)})`
      : 'the bundled shelf is missing';
    return { name, ok: false, detail, fix: INSTALL_AGAIN };
  }
}

/**
 * Whether the upstreams' hosts, or the proxy to them, accept a connection. No request is sent: one
 * to arXiv would have to wait for its turn behind a running sync. Those of the model
 * matter only while it is not ready.
 */
export async function checkUpstreams(config: Config, hasModel: boolean): Promise<Check> {
  const { hubUrl, npmUrl, arxiv, fredKey, fredUrl, agencies, polymarketUrl, proxy } = config;
  const name = 'upstreams';
  if (config.offline) return { name, ok: true, detail: 'offline mode: not checked', fix: null };
  const fred = fredKey === undefined ? [] : [fredUrl];
  const forModel = hasModel ? [] : [hubUrl, npmUrl];
  const macro = [...fred, ...Object.values(agencies)];
  const sources = [...Object.values(arxiv), ...macro, polymarketUrl].map((url) => new URL(url));
  const hosts = [...forModel.map((url) => new URL(url)), ...sources];
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map((url) => acceptsConnection(url, proxy)));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    const through = unique.some((url) => routeTo(url, proxy) !== url) ? ' (through the proxy)' : '';
    const detail = `reachable${through}: ${unique.map(({ host }) => host).join(', ')}`;
    return { name, ok: true, detail, fix: null };
  }
  // Without a proxy, a machine that reaches no source is simply not on the network, even where a
  // registry nearby answers.
  const isMissing = proxy === undefined && sources.every(({ host }) => missing.includes(host));
  return {
    name,
    ok: false,
    isMissing,
    detail: `${isMissing ? 'no source can be reached, so nothing is refreshed; ' : ''}unreachable: ${missing.join(', ')}`,
    fix: `Check the network${proxy === undefined ? '' : ', and HTTPS_PROXY, HTTP_PROXY and NO_PROXY'}; to work without one, set QUANTSHELF_OFFLINE=1.`,
  };
}
