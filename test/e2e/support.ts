import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Operation } from '../../src/core/operation.ts';
import { modelDirectory } from '../../src/embedding/files.ts';
import { operations } from '../../src/operations.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder of the installed package and its Node, if E2E_NODE is set. */
const installed = process.env.E2E_INSTALLED;
/** Whether the program under test runs on that Node. */
export const isInstalled = installed !== undefined;
/** The program under test and its Node: the build on this Node, or the installed package on the other. */
export const node =
  installed === undefined ? process.execPath : join(installed, 'programs', 'bin', 'node');
export const bin = join(
  installed === undefined ? root : join(installed, 'node_modules', 'quantshelf'),
  ...['bin', 'quantshelf.js'],
);

/** Copies the program without its libraries; returns the path of its script. */
export function copyProgram(directory: string): string {
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(dirname(dirname(bin)), part), join(directory, part), { recursive: true });
  }
  return join(directory, 'bin', basename(bin));
}

const sharedModels = join(root, '..', 'shared', 'models');
const suppliedModels = process.env.QUANTSHELF_MODEL_DIR ?? sharedModels;
/** Directory of the real model, or null if it is not there. */
export const modelDir = existsSync(modelDirectory(suppliedModels)) ? suppliedModels : null;

/** An address at which nothing listens. */
export const NOWHERE = 'http://127.0.0.1:9';
/** Settings with which neither the model nor its runtime can be downloaded. */
export const NO_DOWNLOAD: Env = {
  QUANTSHELF_HUB_URL: NOWHERE,
  QUANTSHELF_NPM_URL: NOWHERE,
  npm_config_registry: NOWHERE,
  npm_config_fetch_retries: '0',
};
/** Settings for tests without a model: neither it nor its runtime is present or can be downloaded. */
export const WITHOUT_MODEL: Env = {
  ...NO_DOWNLOAD,
  QUANTSHELF_MODEL_DIR: join(tmpdir(), 'quantshelf-no-models'),
};

expectBuilt();

/** Fails if the build is missing or outdated: the tests run what a user runs. */
function expectBuilt(): void {
  const built = existsSync(join(root, 'dist')) ? changes(join(root, 'dist')) : [];
  if (built.length === 0 || Math.min(...built) < Math.max(...changes(join(root, 'src')))) {
    throw new Error('dist/ is missing or older than src/: run `npm run build` first');
  }
}

function changes(directory: string): number[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
}

const scratches: string[] = [];
/** Removes the directories that `makeHome` created. */
export function removeHomes(): void {
  for (const scratch of scratches.splice(0)) rmSync(scratch, { recursive: true, force: true });
}

/** Creates an empty directory, which is removed at the end of the test file. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-e2e-'));
  scratches.push(home);
  return home;
}

export function storeIn(home: string): string {
  return join(home, 'quantshelf.sqlite');
}

export type Env = Readonly<Record<string, string>>;

const SOURCES = 'POLYMARKET BLS TREASURY NYFED FEDBOARD BEA CENSUS FHFA'.split(' ');

/** The environment of a child process: offline, without our own settings, plus the given variables. */
export function environment(home: string, extra: Env = {}): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(QUANTSHELF_|FRED_|VITEST|NODE_OPTIONS$)/.test(name)
      ? []
      : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    QUANTSHELF_HOME: home,
    QUANTSHELF_OFFLINE: '1',
    // No test contacts the real sources.
    ...Object.fromEntries(SOURCES.map((name) => [`QUANTSHELF_${name}_URL`, NOWHERE])),
    ...extra,
  };
}

/** Settings to be online with only these upstreams, `paceMs` between requests, and no model. */
export function online(upstreams: readonly { env: Env }[], paceMs = 5): Env {
  return {
    ...WITHOUT_MODEL,
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_PACE_MS: String(paceMs),
    ...Object.assign({}, ...upstreams.map(({ env }) => env)),
  };
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process and its result. */
export interface Started {
  child: ChildProcess;
  ended: Promise<Finished>;
}

/** Starts one command of the built program. */
export function startCommand(args: readonly string[], home: string, extra: Env = {}): Started {
  return startProcess(node, [bin, ...args], { env: environment(home, extra) });
}

/** Runs one command of the built program to its end. */
export const quantshelf = (...command: Parameters<typeof startCommand>): Promise<Finished> =>
  startCommand(...command).ended;

/** Starts a process. One that outlives `timeout`, in milliseconds, is killed and ends with a signal. */
function startProcess(command: string, args: readonly string[], options: SpawnOptions): Started {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: root,
    ...options,
  });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  });
  const ended = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ code, signal, stdout: stdout?.() ?? '', stderr: stderr?.() ?? '' }),
    );
  });
  return { child, ended };
}

/** Runs a process to its end. */
export const runProcess = (
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Finished> => startProcess(command, args, options).ended;

const meta = z.looseObject({
  creditsUsed: z.number(),
  remainingCredits: z.number(),
  requestId: z.uuid(),
  asOf: z.iso.datetime(),
  notice: z.string().optional(),
});
/** The envelope of a success, as the contract specifies it. */
export const success = z.strictObject({
  data: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
  meta,
});
/** The envelope of a failure. */
export const failure = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    param: z.string().optional(),
    requestId: z.uuid(),
  }),
  meta: z.strictObject({ creditsUsed: z.literal(0), remainingCredits: z.number() }).optional(),
});
/** The envelope of a success or a failure; the two shapes exclude each other. */
export const envelope = z.union([success, failure]);
export type Envelope = z.output<typeof envelope>;

/** Signs of SQL, a stack or a path, which no message to a caller may contain. */
export const LEAK = /sqlite_|SELECT|INSERT|no such table|node_modules|\/tmp|\n\s+at |Error:/i;

/** An operation that costs one credit. */
export function aPricedRow(): Operation {
  const row = operations.find((operation) => operation.price === 1);
  if (row === undefined) throw new Error('no operation costs one credit');
  return row;
}
