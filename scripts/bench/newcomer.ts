import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Programs } from '../../test/package/programs.ts';
import { timeToTools } from './install.ts';
import { addPrograms, type Ended, type Installed, run, servePackage } from './packed.ts';
import type { Newcomer, Typed } from './results.ts';
import { readCommands, summarise, type TypedCommand, whyNotTyped } from './typed-commands.ts';

/** Each with the npm that comes with it. */
const PROGRAMS: readonly Programs[] = [
  { node: 22, npm: 10 },
  { node: 20, npm: 10 },
];
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
/** Of the README's `serve` and `curl`. */
const PORT = 8787;
const LISTEN_MS = 120_000;

/** Every command of the README as written, in an empty home with an empty cache of npm. */
export async function measureNewcomer(
  log: (line: string) => void,
): Promise<Omit<Newcomer, 'made'>> {
  if (await isTaken(PORT)) throw new Error(`port ${PORT} is taken: free it for the README's serve`);
  const commands = readCommands(readFileSync(README, 'utf8'));
  const typed = commands.filter(({ command }) => whyNotTyped(command) === undefined);
  return servePackage(async (served) => {
    const runs: Newcomer['runs'] = [];
    for (const programs of PROGRAMS) {
      const installed = await addPrograms(served, programs);
      if (installed === null) continue;
      log(installed.programs);
      runs.push({ programs: installed.programs, typed: await typeAll(installed, typed, log) });
    }
    const notRun = commands.flatMap(({ command }) => {
      const reason = whyNotTyped(command);
      return reason === undefined ? [] : [{ command, reason }];
    });
    return { runs, notRun };
  });
}

async function typeAll(
  { folder, env }: Installed,
  commands: readonly TypedCommand[],
  log: (line: string) => void,
): Promise<Typed[]> {
  const home = join(folder, 'home');
  const variable = join(folder, 'KEY');
  mkdirSync(home);
  const servers: (() => Promise<void>)[] = [];
  const typed: Typed[] = [];
  const shell = () => ({
    ...env,
    HOME: home,
    KEY: existsSync(variable) ? readFileSync(variable, 'utf8') : '',
  });
  const note = (command: string, begun: number, { code, stdout, stderr }: Ended) => {
    const seconds = (performance.now() - begun) / 1_000;
    const [out = '', err = ''] = [stdout, stderr].map((text) => text.replaceAll(home, '~'));
    const said = summarise(out, err);
    log(`${seconds.toFixed(1)} s, exit ${code}: ${command}: ${said}`);
    typed.push({ command, code, said, seconds });
  };
  try {
    for (const { command, isServer } of commands) {
      const begun = performance.now();
      if (isServer) {
        const { said, stop } = await startServer(command, home, shell());
        servers.push(stop);
        note(command, begun, { code: null, stdout: '', stderr: said });
        continue;
      }
      // What the command assigned is there for the next ones, as in a terminal.
      const line = `${command}\ncode=$?\nprintf %s "$KEY" > '${variable}'\nexit $code`;
      note(command, begun, await run('sh', ['-c', line], { cwd: home, env: shell() }));
    }
    const begun = performance.now();
    await timeToTools(home, shell());
    note('npx -y quantshelf', begun, { code: null, stdout: 'tools/list answered', stderr: '' });
  } finally {
    for (const stop of servers) await stop();
  }
  return typed;
}

/** Starts a command in a process group of its own, and waits until it listens. */
async function startServer(command: string, cwd: string, env: Record<string, string>) {
  const child = spawn('sh', ['-c', command], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  let said = '';
  const late = setTimeout(() => stop(), LISTEN_MS);
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (/^listening on /m.test(said)) resolve();
    });
    ended.then(() => reject(new Error(`${command} ended: ${said}`)));
  });
  clearTimeout(late);
  return { said: /^listening on .*$/m.exec(said)?.[0] ?? said, stop };
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}
