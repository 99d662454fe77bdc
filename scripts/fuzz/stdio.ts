import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import type { Reader } from './readers.ts';

const BIN = fileURLToPath(new URL('../../bin/quantshelf.js', import.meta.url));
const frame = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
});

/**
 * The built server on stdio. Each input is one line, followed by a `ping`; how long the answer to that
 * takes is told as the block. The server ending, or a line of its output that is no JSON-RPC, throws.
 */
export async function openStdioReader(): Promise<Reader & { close(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-fuzz-home-'));
  const env = {
    ...process.env,
    QUANTSHELF_HOME: home,
    QUANTSHELF_OFFLINE: '1',
    QUANTSHELF_CREDITS: '1000000000',
  };
  const child = spawn(process.execPath, [BIN], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<string, () => void>();
  let broken: Error | undefined;
  const wake = () => {
    for (const resolve of waiting.values()) resolve();
  };
  const ended = new Promise<void>((resolve) => {
    child.on('exit', (code, signal) => {
      broken ??= new Error(`the server ended with ${code ?? signal}`);
      wake();
      resolve();
    });
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const parsed = frame.safeParse(parseJson(line));
    if (!parsed.success) broken ??= new Error(`stdout carried ${line.slice(0, 200)}`);
    waiting.get(String(parsed.data?.id))?.();
  });
  let pings = 0;
  const ping = async (): Promise<number> => {
    pings += 1;
    const id = `fuzz-ping-${pings}`;
    const from = performance.now();
    const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`);
    if (broken === undefined) await answered;
    waiting.delete(id);
    if (broken !== undefined) throw broken;
    return performance.now() - from;
  };
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  };
  child.stdin.write(`${request('init', 'initialize', params)}\n`);
  const lines = [
    ...operations.map(({ name, example }) =>
      request(1, 'tools/call', { name, arguments: example }),
    ),
    request(2, 'tools/list', {}),
    request(3, 'ping', {}),
    request(4, 'resources/list', {}),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
  ];
  return {
    name: 'stdio',
    format: 'json',
    seeds: lines.map((line) => Buffer.from(line)),
    async read(input) {
      child.stdin.write(Buffer.concat([input.filter((byte) => byte !== 10), Buffer.of(10)]));
      return { blockMs: await ping() };
    },
    async close() {
      child.stdin.end();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function request(id: number | string, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
