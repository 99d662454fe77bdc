import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { runHere } from './in-process.ts';
import { bin, type Env, environment, node } from './support.ts';

/** Milliseconds within which a server must listen, and exit after a signal. */
const PATIENCE_MS = 30_000;
/** A limit of calls per minute and key that no test reaches. */
const AMPLE_RATE = '100000000';
/** More credits than any test spends. */
export const AMPLE_CREDITS = '1000000000';

/** `quantshelf serve` in its own process, on a free port. */
export interface Serving {
  /** Without a trailing slash. */
  url: string;
  /** All output so far. */
  said(): string;
  /** Sends SIGTERM, or these signals; returns the exit code, or the signal that ended it. */
  stop(signals?: readonly NodeJS.Signals[]): Promise<number | NodeJS.Signals | null>;
  /** Closes the pipe of its log. */
  stopListening(): void;
}

/**
 * Starts a server on a home, with an ample rate limit by default. The caller must stop it. `launcher` is a
 * command that runs the server, such as one that enters a small disk.
 */
export async function startServing(
  home: string,
  options: {
    program?: string;
    args?: readonly string[];
    env?: Env;
    launcher?: readonly string[];
  } = {},
): Promise<Serving> {
  const program = [node, options.program ?? bin, 'serve', '--port', '0', ...(options.args ?? [])];
  const [command = '', ...args] = [...(options.launcher ?? []), ...program];
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(home, { QUANTSHELF_RATE: AMPLE_RATE, ...options.env }),
  });
  let said = '';
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal));
  });
  const listening = new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`not listening: ${said}`)), PATIENCE_MS);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /^listening on (http:\S+)$/m.exec(said)?.[1];
      if (url !== undefined) {
        clearTimeout(late);
        resolve(url);
      }
    });
    ended.then((how) => reject(new Error(`ended with ${how}: ${said}`)));
  });
  const stop = async (signals: readonly NodeJS.Signals[] = ['SIGTERM']) => {
    const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    for (const signal of signals) {
      child.kill(signal);
      await delay(50);
    }
    return ended.finally(() => clearTimeout(late));
  };
  try {
    const stopListening = () => child.stderr.destroy();
    return { url: await listening, said: () => said, stop, stopListening };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Starts a server that stops when the test ends. */
export async function serveForTest(...call: Parameters<typeof startServing>): Promise<Serving> {
  const serving = await startServing(...call);
  onTestFinished(async () => {
    await serving.stop();
  });
  return serving;
}

/** Sends a request with a key. */
export function ask(url: string, key: string, path: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${key}`, ...init.headers };
  return fetch(`${url}${path}`, { ...init, headers });
}

/** Creates a key for the store in a home, with further options of `keys create`. */
export async function makeKey(
  home: string,
  name: string,
  ...options: readonly string[]
): Promise<string> {
  const ended = await runHere(['keys', 'create', name, '--json', ...options], home);
  if (ended.code !== 0) throw new Error(ended.stderr);
  return z.object({ key: z.string() }).parse(JSON.parse(ended.stdout)).key;
}
