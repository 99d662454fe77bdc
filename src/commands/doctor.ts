import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { storePath } from '../config.ts';

/** One examined thing; `fix` says how to mend it and is null when it is well. */
export interface Check {
  name: 'node' | 'native_modules' | 'store_integrity' | 'model' | 'upstreams';
  ok: boolean;
  detail: string;
  fix: string | null;
}

const MIN_NODE: readonly [number, number] = [20, 19];
/** How long an upstream may take to answer before it counts as out of reach, in milliseconds. */
const REACH_MS = 5_000;

/** Examines the installation. Opens nothing that a server would, so it works when that fails. */
export async function examine(config: Config): Promise<{ ok: boolean; checks: Check[] }> {
  const checks = [
    checkNode(process.versions.node),
    await checkNativeModules(),
    await checkStore(config.home),
    await checkModel(config),
    await checkUpstreams(config),
  ];
  return { ok: checks.every((check) => check.ok), checks };
}

/** The same for people, one line a check. */
export function renderChecks(checks: readonly Check[]): string {
  return checks
    .map(({ name, ok, detail, fix }) => {
      const line = `${ok ? 'ok   ' : 'FAULT'} ${name.padEnd(16)} ${detail}`;
      return fix === null ? line : `${line}\n      ${''.padEnd(16)} mend: ${fix}`;
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
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(':memory:');
    const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get();
    db.close();
    const detail = `SQLite ${version}`;
    return (await loadsTransformers())
      ? { name, ok: true, detail: `${detail}, transformers`, fix: null }
      : {
          name,
          ok: false,
          detail: `${detail}; the transformer library is missing, so search runs on words alone`,
          fix: 'Install again with ONNXRUNTIME_NODE_INSTALL=skip in the environment: its install step failed to fetch GPU libraries, which are not needed.',
        };
  } catch (error) {
    return {
      name,
      ok: false,
      detail: firstLine(error),
      fix: 'Install again with its install script allowed: `npm cache npx rm`, then `npx -y --allow-scripts=better-sqlite3 quantshelf doctor`; in a project, `npm rebuild better-sqlite3`.',
    };
  }
}

/** True when `directory`, or the nearest one above it that exists, is one and can be written. */
function canBeMade(directory: string): boolean {
  if (!existsSync(directory)) return canBeMade(dirname(directory));
  try {
    accessSync(directory, constants.W_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
}

/** It is an optional dependency: an installation without it works, on words. */
async function loadsTransformers(): Promise<boolean> {
  try {
    await import('@huggingface/transformers');
    return true;
  } catch {
    return false;
  }
}

async function checkStore(home: string): Promise<Check> {
  const name = 'store_integrity';
  const path = storePath(home);
  if (!existsSync(path)) {
    return canBeMade(home)
      ? { name, ok: true, detail: 'no store yet; the first call makes it', fix: null }
      : {
          name,
          ok: false,
          detail: 'the data directory cannot be made or written',
          fix: 'Set QUANTSHELF_HOME to a directory that can be written.',
        };
  }
  try {
    const [{ openForReading }, { pendingMigrations }, { migrations }] = await Promise.all([
      import('../store/open.ts'),
      import('../store/migrations.ts'),
      import('../schema.ts'),
    ]);
    const db = openForReading(path);
    try {
      const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
      if (verdict !== 'ok') throw new Error(verdict);
      const pending = pendingMigrations(db, migrations).length;
      const detail =
        pending === 0 ? 'intact' : `intact; ${pending} migrations wait for the next start`;
      return { name, ok: true, detail, fix: null };
    } finally {
      db.close();
    }
  } catch (error) {
    return {
      name,
      ok: false,
      detail: firstLine(error),
      fix: `Move ${path} away; the next start makes a new store from the starter shelf.`,
    };
  }
}

async function checkModel(config: Config): Promise<Check> {
  const { findModel } = await import('../embedding/files.ts');
  const name = 'model';
  const fix =
    'Fetch it once with `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a copy. Until then search runs on words alone.';
  try {
    const found = await findModel(config);
    return found === null
      ? { name, ok: false, detail: 'not on this machine', fix }
      : { name, ok: true, detail: `verified in ${found}`, fix: null };
  } catch (error) {
    return { name, ok: false, detail: firstLine(error), fix };
  }
}

/**
 * Whether the upstreams' hosts take a connection. Nothing is asked of them: a request to arXiv
 * would have to wait for its turn behind a sync that is at work.
 */
async function checkUpstreams(config: Config): Promise<Check> {
  const { hubUrl, arxiv, fredKey, fredUrl, polymarketUrl } = config;
  const name = 'upstreams';
  if (config.offline)
    return { name, ok: true, detail: 'offline mode: nothing is tried', fix: null };
  const fred = fredKey === undefined ? [] : [fredUrl];
  const hosts = [hubUrl, ...Object.values(arxiv), ...fred, polymarketUrl].map(
    (url) => new URL(url),
  );
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map(takesConnection));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    const detail = `within reach: ${unique.map(({ host }) => host).join(', ')}`;
    return { name, ok: true, detail, fix: null };
  }
  return {
    name,
    ok: false,
    detail: `out of reach: ${missing.join(', ')}`,
    fix: 'Check the network; to work without one, set QUANTSHELF_OFFLINE=1.',
  };
}

function takesConnection({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const standard = protocol === 'https:' ? 443 : 80;
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? standard : Number(port),
      timeout: REACH_MS,
    });
    const settle = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
