import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const BIN = fileURLToPath(new URL('../../bin/quantshelf.js', import.meta.url));
const LISTEN_MS = 20_000;

/** A server process that listens on localhost. */
export interface LoadServer {
  url: string;
  /** Memory in MB, without mapped files if the system reports them separately. */
  memory(): number;
  stop(): Promise<void>;
}

function environment(home: string): NodeJS.ProcessEnv {
  return { ...process.env, QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' };
}

/** Runs one command of the build and returns its JSON. */
export function command(home: string, ...args: readonly string[]): unknown {
  const env = environment(home);
  return JSON.parse(
    execFileSync(process.execPath, [BIN, ...args, '--json'], { env, encoding: 'utf8' }),
  );
}

/** Creates a key with `credits` credits. */
export function makeKey(home: string, name: string, credits: number): string {
  const made = command(home, 'keys', 'create', name, '--credits', String(credits));
  return z.object({ key: z.string() }).parse(made).key;
}

/** Starts `quantshelf serve` on a home, with practically no rate limit; the access log goes to a file. */
export function startServe(home: string, nodeOptions: readonly string[] = []): Promise<LoadServer> {
  const args = [...nodeOptions, BIN, 'serve', '--port', '0', '--rate', '100000000'];
  return start(args, home, `serve-${Date.now()}.log`);
}

/** A minimal server that sends fixed bytes by path, in one write each. */
export async function startBare(
  home: string,
  answers: Readonly<Record<string, { headers: Readonly<Record<string, string>>; body: string }>>,
): Promise<LoadServer> {
  const script = join(home, 'bare.mjs');
  writeFileSync(
    script,
    `import { createServer } from 'node:http';
const answers = new Map(Object.entries(${JSON.stringify(answers)}));
const server = createServer((request, response) => {
  const { headers, body } = answers.get(request.url);
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write('listening on http://127.0.0.1:' + server.address().port + '\\n');
});
process.once('SIGTERM', () => process.exit(0));
`,
  );
  return start([script], home, 'bare.log');
}

/** A server on stdio, and its answers as text. */
export async function startStdio(
  home: string,
): Promise<Omit<LoadServer, 'url'> & { request(method: string, params: object): Promise<string> }> {
  const env = { ...environment(home), QUANTSHELF_CREDITS: '1000000000' };
  const child = spawn(process.execPath, [BIN], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting = new Map<number, { resolve(answer: string): void; reject(error: Error): void }>();
  ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the server on stdio has ended'));
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = z.looseObject({ id: z.number() }).parse(JSON.parse(line));
    waiting.get(id)?.resolve(line);
    waiting.delete(id);
  });
  let last = 0;
  const request = (method: string, params: object) => {
    last += 1;
    const id = last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise<string>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
    });
  };
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'load', version: '1' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    request,
    memory: () => memoryOf(child),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

async function start(args: readonly string[], home: string, logName: string): Promise<LoadServer> {
  const log = join(home, logName);
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', openSync(log, 'w')],
    env: environment(home),
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  ended.then(() => process.off('exit', kill));
  for (const late = Date.now() + LISTEN_MS; ; await sleep(20)) {
    const url = /^listening on (http:\S+)$/m.exec(readFileSync(log, 'utf8'))?.[1];
    if (url !== undefined) {
      return {
        url,
        memory: () => memoryOf(child),
        async stop() {
          child.kill('SIGTERM');
          await ended;
        },
      };
    }
    if (child.exitCode !== null || Date.now() > late) {
      child.kill('SIGKILL');
      throw new Error(`the server did not start: ${readFileSync(log, 'utf8')}`);
    }
  }
}

function memoryOf({ pid }: ChildProcess): number {
  try {
    const own = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (own !== undefined) return Number(own) / 1024;
  } catch {
    // Without /proc, use the resident set size.
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
