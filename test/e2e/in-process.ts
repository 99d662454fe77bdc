import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onceInRun } from '../once.ts';
import {
  type Env,
  environment,
  type Finished,
  isInstalled,
  makeHome,
  quantshelf,
  root,
  storeIn,
} from './support.ts';

/** The functions of the build that src/main.ts calls. */
interface Build {
  readInvocation: typeof import('../../src/cli/program.ts').readInvocation;
  readConfig: typeof import('../../src/config.ts').readConfig;
  runCommand: typeof import('../../src/cli/run-command.ts').runCommand;
}

let build: Promise<Build> | undefined;

async function loadBuild(): Promise<Build> {
  const names = readdirSync(join(root, 'dist'));
  const load = async (part: string) => {
    const [name = '', ...others] = names.filter((file) => file.replace(/-\w+\.js$/, '') === part);
    if (others.length > 0) throw new Error(`dist/ has more than one ${part}`);
    return import(pathToFileURL(join(root, 'dist', name)).href);
  };
  const [program, config, run] = await Promise.all(['program', 'config', 'run-command'].map(load));
  return { ...program, ...config, ...run };
}

/**
 * Runs one command of the build in this process, since starting a process takes most of a short command's
 * time. Use `quantshelf` to test exits, signals and wrong usage. Opens and closes the shelf each time.
 */
export async function runHere(
  args: readonly string[],
  home: string,
  extra: Env = {},
): Promise<Finished> {
  if (isInstalled) return quantshelf(args, home, extra);
  build ??= loadBuild();
  const { readInvocation, readConfig, runCommand } = await build;
  const said = { stdout: '', stderr: '' };
  const terminal = {
    log(line: string) {
      said.stderr += `${line}\n`;
    },
    print(line: string) {
      said.stdout += `${line}\n`;
    },
    stopSignal: () => new AbortController().signal,
  };
  const command = readInvocation(args, terminal.print);
  const config = readConfig(environment(home, extra), home);
  const code = command === null ? 0 : await runCommand(command, config, terminal);
  return { code, signal: null, ...said };
}

/** A home with the installed starter shelf, for tests that are not about installing it. */
export async function makeShelf(): Promise<string> {
  const installed = await onceInRun('shelf', async (place) => {
    mkdirSync(place);
    const { code, stderr } = await quantshelf(['status'], place);
    if (code !== 0) throw new Error(stderr);
    return storeIn(place);
  });
  const home = makeHome();
  copyFileSync(installed, storeIn(home));
  return home;
}

/** The envelope of one call by `quantshelf call`. */
export async function callHere(name: string, input: object, home: string, extra: Env = {}) {
  return JSON.parse((await runHere(['call', name, JSON.stringify(input)], home, extra)).stdout);
}

/** What `quantshelf status --json` reports. */
export async function statusHere(home: string, extra: Env = {}) {
  return JSON.parse((await runHere(['status', '--json'], home, extra)).stdout);
}
