import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { bin, type Env, type Envelope, envelope, environment, node, root } from './support.ts';

/** Every line the server may write on stdout. */
const frame = z.union([
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]),
    result: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    // The id is null in a response to a message whose id could not be read.
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  }),
]);
export type Frame = z.output<typeof frame>;

/** The fields of `_meta` with which a client of the current era identifies itself in every request. */
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * A server process driven by hand, to send what no real client would. It is killed at the end of its test.
 * Every byte of its stdout is checked: a line that is not a JSON-RPC frame fails the test.
 */
export class Wire {
  readonly child: ChildProcessWithoutNullStreams;
  readonly frames: Frame[] = [];
  /** How the process ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = '';
  #rest = '';
  #broken: Error | undefined;
  #waiting: (() => void)[] = [];
  #over = false;
  #asked = 0;

  /** `launcher` is a command that runs the command after it; `program` replaces the build. */
  constructor(home: string, extra: Env = {}, launcher: readonly string[] = [], program = bin) {
    const [command = node, ...args] = [...launcher, node, program];
    this.child = spawn(command, args, { cwd: root, env: environment(home, extra) });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    // A server that has exited is noticed by its exit, not by a failed write.
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#over = true;
        this.#wake();
        resolve({ code, signal });
      });
    });
    // Servers left running would start to refresh and download.
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Writes raw bytes. */
  write(bytes: string | Uint8Array): void {
    this.child.stdin.write(bytes);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** The handshake of the legacy era. */
  async initialize(): Promise<void> {
    this.send({
      id: 'init',
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'wire', version: '1' },
      },
    });
    await this.response('init');
    this.send({ method: 'notifications/initialized' });
  }

  /** A request of the current era, which needs no handshake. */
  sendModern(id: string | number, method: string, params: object = {}): void {
    this.send({ id, method, params: { ...params, _meta: MODERN_META } });
  }

  sendCall(id: string | number, name: string, args: unknown): void {
    this.send({ id, method: 'tools/call', params: { name, arguments: args } });
  }

  async call(id: string | number, name: string, args: unknown): Promise<Frame> {
    this.sendCall(id, name, args);
    return this.response(id);
  }

  /** Makes a call under an id of its own; returns the envelope. */
  async ask(name: string, args: unknown): Promise<Envelope> {
    this.#asked += 1;
    return envelopeOf(await this.call(`ask ${this.#asked}`, name, args));
  }

  /** The response to a request; rejects if the server ends without one. */
  async response(id: string | number): Promise<Frame> {
    for (;;) {
      const match = this.frames.find((each) => 'id' in each && each.id === id);
      if (match !== undefined) return match;
      if (this.#broken !== undefined) throw this.#broken;
      if (this.#over) throw new Error(`the server ended without answering ${id}: ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Proves that the server is alive and still speaks the protocol. */
  async ping(id: string | number): Promise<void> {
    this.send({ id, method: 'ping' });
    const response = await this.response(id);
    if (!('result' in response)) throw new Error(`ping was answered ${JSON.stringify(response)}`);
  }

  /** Ends the input and waits for the process to exit on its own. */
  async finish(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.stdin.end();
    const end = await this.ended;
    if (this.#rest !== '') throw new Error(`stdout ended inside a line: ${this.#rest}`);
    if (this.#broken !== undefined) throw this.#broken;
    return end;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        this.frames.push(frame.parse(JSON.parse(line)));
      } catch {
        this.#broken ??= new Error(`stdout carried no JSON-RPC: ${line.slice(0, 500)}`);
      }
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export const text = z.strictObject({ type: z.literal('text'), text: z.string() });
export const toolResult = z.looseObject({
  // A single text: a resource link would crash LangChain agents.
  content: z.tuple([text]),
  structuredContent: z.record(z.string(), z.unknown()),
  isError: z.boolean().optional(),
});

/** The tool result in a frame; throws if there is none. */
export function resultOf(response: Frame): z.output<typeof toolResult> {
  if (!('result' in response)) throw new Error(`no result: ${JSON.stringify(response)}`);
  return toolResult.parse(response.result);
}

export function envelopeOf(response: Frame): Envelope {
  return envelope.parse(resultOf(response).structuredContent);
}

/** A server after the handshake. */
export async function startWire(...server: ConstructorParameters<typeof Wire>): Promise<Wire> {
  const wire = new Wire(...server);
  await wire.initialize();
  return wire;
}
