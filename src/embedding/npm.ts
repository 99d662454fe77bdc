import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'ini';
import { codeOf } from '../core/errors.ts';

/** Time limit, enough for 116 MB over a slow connection. */
const TIMEOUT_MS = 30 * 60_000;

interface NpmOptions {
  /** Environment variables: npm's path, npm's settings, and the variables that an `.npmrc` refers to. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/**
 * Downloads the package `spec` (`NAME@VERSION`) to `path`; returns false if npm is not on this machine. Runs the
 * user's own npm, so that the registries, tokens, proxies and certificates of `.npmrc` apply. Rejects with a
 * message for the user, or with the signal's reason.
 */
export async function packWithNpm(
  spec: string,
  path: string,
  options: NpmOptions,
): Promise<boolean> {
  const directory = `${path}.npm`;
  await mkdir(directory);
  const words = ['pack', spec, '--ignore-scripts', '--pack-destination', directory];
  const printed = await runNpm(words, directory, options);
  const file = (await readdir(directory)).find((name) => name.endsWith('.tgz'));
  if (file !== undefined) await rename(join(directory, file), path);
  else if (printed !== null) throw new Error('npm produced no tarball');
  await rm(directory, { recursive: true });
  return printed !== null;
}

/** npm's default registry, even on a machine without npm. Rejects like `readRegistry`, or if npm fails. */
export async function findNpmRegistry(options: NpmOptions): Promise<string> {
  const words = ['config', 'get', 'registry'];
  const printed = await runNpm(words, dirname(process.execPath), options);
  return printed?.trim() ?? (await readRegistry('', options.env)).url;
}

/** A registry, without a trailing slash, and the Authorization header that it expects. */
interface Registry {
  url: string;
  authorization?: string | undefined;
}

/**
 * A package's registry, for a machine without npm: from the environment, else the user's `.npmrc`, else
 * the global one. Rejects with a message for the user if none names a valid one. Source: `npm help npmrc`.
 */
export async function readRegistry(name: string, env: NodeJS.ProcessEnv): Promise<Registry> {
  const settings = await readSettings(env);
  const [scope] = name.split('/');
  const registry = settings.get(`${scope}:registry`) ?? settings.get('registry');
  if (registry === undefined || !URL.canParse(registry)) {
    throw new Error(
      'npm is not on this machine, and no .npmrc names a valid registry: install npm, or set QUANTSHELF_NPM_URL',
    );
  }
  const { href, host, pathname } = new URL(`${registry.replace(/\/+$/, '')}/`);
  const url = href.replace(/\/+$/, '');
  // Credentials apply to an address and everything below it; the nearest ones win.
  for (let place = `//${host}${pathname}`; place !== '//'; place = parentOf(place)) {
    const authorization = readAuthorization(settings, place);
    if (authorization !== undefined) return { url, authorization };
  }
  return { url };
}

/** `//host/npm/` → `//host/npm` → `//host/`. */
const parentOf = (place: string) => place.replace(/(?:[^/]+|\/)$/, '');

function readAuthorization(
  settings: ReadonlyMap<string, string>,
  place: string,
): string | undefined {
  const [token, basic, user, password] = ['_authToken', '_auth', 'username', '_password'].map(
    (key) => settings.get(`${place}:${key}`),
  );
  if (token) return `Bearer ${token}`;
  if (basic) return `Basic ${basic}`;
  if (!user || !password) return undefined;
  const plain = `${user}:${Buffer.from(password, 'base64').toString()}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}

async function readSettings(env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>> {
  const variables = Object.entries(env).flatMap(([variable, value]): [string, string][] => {
    const [, key] = /^npm_config_(.+)/i.exec(variable) ?? [];
    if (key === undefined || !value) return [];
    return [[key.startsWith('//') ? key : key.toLowerCase(), value]];
  });
  const byVariable = new Map(variables);
  const user = await readNpmrc(byVariable.get('userconfig') ?? join(homedir(), '.npmrc'), env);
  const own = new Map([...user, ...byVariable]);
  const { execPath, platform } = process;
  const prefix = own.get('prefix') ?? dirname(platform === 'win32' ? execPath : dirname(execPath));
  const path = own.get('globalconfig') ?? join(prefix, 'etc', 'npmrc');
  return new Map([...(await readNpmrc(path, env)), ...own]);
}

/** The settings in an `.npmrc` with its `${VARIABLES}` expanded; empty if the file is missing. */
async function readNpmrc(path: string, env: NodeJS.ProcessEnv): Promise<[string, string][]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const fillIn = (part: string) =>
    part.replace(/\$\{([^${}?]+)(\??)\}/g, (written, variable: string, optional: string) => {
      return env[variable] ?? (optional === '' ? written : '');
    });
  return Object.entries(parse(text)).flatMap(([key, value]): [string, string][] =>
    typeof value === 'object' ? [] : [[fillIn(key), fillIn(String(value))]],
  );
}

/** npm's output; null if there is no npm. */
async function runNpm(
  words: readonly string[],
  cwd: string,
  { env, signal }: NpmOptions,
): Promise<string | null> {
  const [program, ...before] = findNpm(env.npm_execpath);
  const options = { cwd, env, signal, timeout: TIMEOUT_MS, windowsHide: true, maxBuffer: 1 << 24 };
  try {
    return (await promisify(execFile)(program, [...before, ...words], options)).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === 'ENOENT') return null;
    throw new Error(reasonOf(error), { cause: error });
  }
}

/** The npm that started us, else the one beside Node, else `npm` on the PATH, which fails on Windows. */
function findNpm(npmCli = ''): [string, ...string[]] {
  const own = npmCli.replace(/npx-cli\.js$/, 'npm-cli.js');
  const folder = dirname(process.execPath);
  const beside = [join(folder, '..', 'lib'), folder].map((place) =>
    join(place, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  );
  const script = [own, ...beside].find((path) => path.endsWith('npm-cli.js') && existsSync(path));
  return script === undefined ? ['npm'] : [process.execPath, script];
}

/** The reason for a failure, with npm's error code, such as E401. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const [, code] = /^npm (?:error|ERR!) code (\w+)/m.exec(text) ?? [];
  return code === undefined ? 'npm failed' : `npm failed with ${code}`;
}
