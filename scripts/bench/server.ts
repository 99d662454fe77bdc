import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

export const BIN = fileURLToPath(new URL('../../bin/quantshelf.js', import.meta.url));
const responseHead = z.looseObject({ id: z.number() });
const result = z.looseObject({
  result: z.looseObject({
    isError: z.boolean().optional(),
    // Links to resources have no text.
    content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
  }),
});

/** A response: the line as received, and when, by `performance.now()`. */
export interface TimedResponse {
  line: string;
  at: number;
}

/** A server process on stdio that gets one request at a time. */
export class BenchServer {
  /** Time just before the process was spawned, by `performance.now()`. */
  readonly spawnedAt: number;
  readonly #child: ChildProcessWithoutNullStreams;
  #rest = '';
  #lastId = 0;
  #waiting: { id: number; resolve: (response: TimedResponse) => void } | undefined;
  #failed: (error: Error) => void = () => {};
  #stderr = '';

  constructor(script: string, env: Readonly<Record<string, string>>) {
    this.spawnedAt = performance.now();
    this.#child = spawn(process.execPath, [script], { env: { ...process.env, ...env } });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#child.on('exit', () => this.#failed(new Error(`the server ended: ${this.#stderr}`)));
  }

  /** The handshake of the older protocol versions; the figures do not depend on the version. */
  async initialize(): Promise<TimedResponse> {
    const response = await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    this.#send({ method: 'notifications/initialized' });
    return response;
  }

  ask(method: string, params: object = {}): Promise<TimedResponse> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#failed = reject;
      this.#waiting = { id, resolve };
      this.#send({ id, method, params });
    });
  }

  /** Calls a tool and returns the milliseconds to its response. Throws for an error response. */
  async call(name: string, input: object): Promise<number> {
    const start = performance.now();
    const { line, at } = await this.ask('tools/call', { name, arguments: input });
    const { isError, content } = result.parse(JSON.parse(line)).result;
    if (isError === true) throw new Error(`${name}: ${content?.[0]?.text}`);
    return at - start;
  }

  /** Resident memory of the process in MB (10^6 bytes). */
  residentMb(): number {
    const { pid } = this.#child;
    const status = `/proc/${pid}/status`;
    const kib = existsSync(status)
      ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return (Number(kib) * 1024) / 1e6;
  }

  /** Closes stdin and waits until the process has exited. */
  async close(): Promise<void> {
    this.#failed = () => {};
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin.end();
    await gone;
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(text: string): void {
    const at = performance.now();
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const { success, data } = responseHead.safeParse(JSON.parse(line));
      if (success && data.id === this.#waiting?.id) this.#waiting.resolve({ line, at });
    }
  }
}

/** Runs `work` with an empty home, which is removed afterwards. */
export async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  try {
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function environment(home: string, modelDir: string | null): Record<string, string> {
  return {
    QUANTSHELF_HOME: home,
    QUANTSHELF_OFFLINE: '1',
    QUANTSHELF_CREDITS: '1000000',
    QUANTSHELF_MODEL_DIR: modelDir ?? '',
  };
}

export async function withServer<T>(
  home: string,
  modelDir: string | null,
  work: (server: BenchServer) => Promise<T>,
): Promise<T> {
  const server = new BenchServer(BIN, environment(home, modelDir));
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
