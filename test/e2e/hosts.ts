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
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Tool, tool } from '../unit/doors/tools.ts';
import { bin, type Env, type Envelope, envelope, environment, node, root } from './support.ts';
import { text, toolResult } from './wire.ts';

export type Reply = z.output<typeof toolResult>;

const resources = z.looseObject({
  resources: z.array(z.looseObject({ uri: z.string(), name: z.string() })),
});
const templates = z.looseObject({
  resourceTemplates: z.array(z.looseObject({ uriTemplate: z.string(), name: z.string() })),
});
const prompts = z.looseObject({ prompts: z.array(z.looseObject({ name: z.string() })) });
const contents = z.looseObject({
  contents: z.tuple([
    z.strictObject({
      uri: z.string(),
      mimeType: z.string(),
      text: z.string(),
      _meta: z.unknown().optional(),
    }),
  ]),
});
const written = z.looseObject({
  messages: z.tuple([z.strictObject({ role: z.literal('user'), content: text })]),
});
const completion = z.looseObject({
  completion: z.looseObject({
    values: z.array(z.string()).max(100),
    hasMore: z.boolean(),
    total: z.number().optional(),
  }),
});

const announced = z.looseObject({ extensions: z.unknown() });

/** The subject of a completion. */
type Reference = { type: 'ref/resource'; uri: string } | { type: 'ref/prompt'; name: string };
/** The variable or argument, the text typed so far, and the other values. */
export type Typed = [name: string, value: string, known?: Record<string, string>];

/** The server through a real client of one protocol era. */
export interface Host {
  version: string | undefined;
  instructions: string | undefined;
  /** Extensions of the protocol that the server announces. */
  extensions: unknown;
  list(): Promise<Tool[]>;
  /** Aborting `signal` cancels the call as this client does. */
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Reply>;
  /** The full results, as the client receives them. */
  listResources(): Promise<z.output<typeof resources>>;
  listTemplates(): Promise<z.output<typeof templates>>;
  listPrompts(): Promise<z.output<typeof prompts>>;
  read(uri: string): Promise<z.output<typeof contents>>;
  prompt(name: string, args: Record<string, string>): Promise<z.output<typeof written>>;
  complete(ref: Reference, ...typed: Typed): Promise<z.output<typeof completion>['completion']>;
  close(): Promise<void>;
}

export type Era = 'current' | 'legacy';
export const eras: readonly Era[] = ['current', 'legacy'];

const info = { name: 'quantshelf-tests', version: '1' };

/**
 * The client of the current era first probes the protocol version in a process of its own, since some servers
 * exit when probed. Given any other transport class, it probes the process that it then keeps.
 */
class OneProcess extends ModernTransport {}

export async function connect(
  era: Era,
  home: string,
  extra: Env = {},
  Transport = OneProcess,
): Promise<Host> {
  const env = environment(home, extra);
  const process = { command: node, args: [bin], cwd: root, env, stderr: 'ignore' as const };
  const host = await (era === 'current'
    ? connectCurrent(new Transport(process))
    : connectInitialize(new InitializeTransport(process)));
  onTestFinished(() => host.close());
  return host;
}

/** Connects over HTTP to a running server. */
export async function connectTo(era: Era, url: string, key: string): Promise<Host> {
  const address = new URL('/mcp', url);
  const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  const host = await (era === 'current'
    ? connectCurrent(new ModernHttp(address, options))
    : connectInitialize(new InitializeHttp(address, options)));
  onTestFinished(() => host.close());
  return host;
}

async function connectCurrent(transport: ModernTransport | ModernHttp): Promise<Host> {
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport);
  return hostOf(client, client.getNegotiatedProtocolVersion(), (request, options) =>
    client.callTool(request, options),
  );
}

/** A connected client as a host. The two clients differ only in how they call tools. */
function hostOf(
  client: ModernClient | InitializeClient,
  version: string | undefined,
  callTool: (
    request: { name: string; arguments: Record<string, unknown> },
    options: { signal?: AbortSignal },
  ) => Promise<unknown>,
): Host {
  return {
    version,
    instructions: client.getInstructions(),
    extensions: announced.parse(client.getServerCapabilities()).extensions,
    list: async () => z.array(tool).parse((await client.listTools()).tools),
    call: async (name, args, signal) =>
      toolResult.parse(
        await callTool({ name, arguments: args }, signal === undefined ? {} : { signal }),
      ),
    listResources: async () => resources.parse(await client.listResources()),
    listTemplates: async () => templates.parse(await client.listResourceTemplates()),
    listPrompts: async () => prompts.parse(await client.listPrompts()),
    read: async (uri) => contents.parse(await client.readResource({ uri })),
    prompt: async (name, args) => written.parse(await client.getPrompt({ name, arguments: args })),
    async complete(ref, name, value, existing) {
      const context = existing === undefined ? {} : { context: { arguments: existing } };
      const reply = await client.complete({ ref, argument: { name, value }, ...context });
      return completion.parse(reply).completion;
    },
    close: () => client.close(),
  };
}

async function connectInitialize(transport: InitializeTransport | InitializeHttp): Promise<Host> {
  const client = new InitializeClient(info);
  let version: string | undefined;
  const http = transport instanceof InitializeHttp ? transport : undefined;
  const tellHttp = http?.setProtocolVersion.bind(http);
  // The client reports the negotiated version only to transports that ask for it.
  const setProtocolVersion = (agreed: string) => {
    version = agreed;
    tellHttp?.(agreed);
  };
  await client.connect(Object.assign<Transport, object>(transport, { setProtocolVersion }));
  return hostOf(client, version, (request, options) =>
    client.callTool(request, undefined, options),
  );
}

const validator = new AjvJsonSchemaValidator();

/** Why a value does not match a published schema; undefined if it does. */
export function misfit(schema: Tool['outputSchema'], value: unknown): string | undefined {
  const result = validator.getValidator(schema)(value);
  return result.valid ? undefined : result.errorMessage;
}

/** The envelope of a reply. Fails unless its text is the same envelope as JSON. */
export function envelopeOf(reply: Reply): Envelope {
  expect(JSON.parse(reply.content[0].text)).toEqual(reply.structuredContent);
  return envelope.parse(reply.structuredContent);
}
