import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Client as InitializeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as InitializeTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as InitializeHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Tool, tool } from '../unit/doors/tools.ts';
import { bin, type Env, type Envelope, envelope, environment, root } from './support.ts';

const reply = z.looseObject({
  content: z.tuple([z.strictObject({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()),
  isError: z.boolean().optional(),
});
export type Reply = z.output<typeof reply>;

/** The server through a real client of one protocol era. */
export interface Host {
  version: string | undefined;
  instructions: string | undefined;
  list(): Promise<Tool[]>;
  /** Aborting `signal` cancels the call as this client does it. */
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Reply>;
  close(): Promise<void>;
}

export type Era = 'current' | 'initialize';
export const eras: readonly Era[] = ['current', 'initialize'];

const info = { name: 'quantshelf-tests', version: '1' };

export async function connect(era: Era, home: string, extra: Env = {}): Promise<Host> {
  const process = child(home, extra);
  const host = await (era === 'current'
    ? connectCurrent(new ModernTransport(process))
    : connectInitialize(new InitializeTransport(process)));
  onTestFinished(() => host.close());
  return host;
}

/** The same over HTTP, at the address of a server that runs. */
export async function connectTo(era: Era, url: string, key: string): Promise<Host> {
  const address = new URL('/mcp', url);
  const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  const host = await (era === 'current'
    ? connectCurrent(new ModernHttp(address, options))
    : connectInitialize(new InitializeHttp(address, options)));
  onTestFinished(() => host.close());
  return host;
}

function child(home: string, extra: Env) {
  const env = environment(home, extra);
  return { command: process.execPath, args: [bin], cwd: root, env, stderr: 'ignore' as const };
}

async function connectCurrent(transport: ModernTransport | ModernHttp): Promise<Host> {
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    list: async () => z.array(tool).parse((await client.listTools()).tools),
    call: async (name, args, signal) =>
      reply.parse(await client.callTool({ name, arguments: args }, cancelledBy(signal))),
    close: () => client.close(),
  };
}

function cancelledBy(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}

async function connectInitialize(transport: InitializeTransport | InitializeHttp): Promise<Host> {
  const client = new InitializeClient(info);
  let version: string | undefined;
  await client.connect(
    watchDataVersion(transport, (agreed) => {
      version = agreed;
    }),
  );
  return {
    version,
    instructions: client.getInstructions(),
    list: async () => z.array(tool).parse((await client.listTools()).tools),
    call: async (name, args, signal) =>
      reply.parse(await client.callTool({ name, arguments: args }, undefined, cancelledBy(signal))),
    close: () => client.close(),
  };
}

/** The client tells the version that was agreed on to transports that ask for it, and to no one else. */
function watchDataVersion(
  inner: InitializeTransport | InitializeHttp,
  onVersion: (agreed: string) => void,
): Transport {
  return {
    start: () => inner.start(),
    send: (message) => inner.send(message),
    close: () => inner.close(),
    set onmessage(handler: Transport['onmessage']) {
      if (handler !== undefined) inner.onmessage = handler;
    },
    set onclose(handler: () => void) {
      inner.onclose = handler;
    },
    set onerror(handler: (error: Error) => void) {
      inner.onerror = handler;
    },
    setProtocolVersion(agreed) {
      onVersion(agreed);
      if (inner instanceof InitializeHttp) inner.setProtocolVersion(agreed);
    },
  };
}

const validator = new AjvJsonSchemaValidator();

/** Why a value does not fit a published schema; undefined when it does. */
export function misfit(schema: Tool['outputSchema'], value: unknown): string | undefined {
  const result = validator.getValidator(schema)(value);
  return result.valid ? undefined : result.errorMessage;
}

/** The envelope of a reply, which must be told twice in the same words. */
export function envelopeOf(answer: Reply): Envelope {
  const { text } = answer.content[0];
  if (text !== JSON.stringify(answer.structuredContent)) {
    throw new Error(`the text is not structuredContent as minified JSON: ${text.slice(0, 300)}`);
  }
  return envelope.parse(answer.structuredContent);
}
