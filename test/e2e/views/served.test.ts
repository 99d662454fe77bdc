import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client as InitializeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as InitializeHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../src/operations.ts';
import { makeKey, serveForTest } from '../serving.ts';
import { makeHome } from '../support.ts';
import { type Frame, Wire } from '../wire.ts';

/** What a host asks for before it shows a view. */
interface Asked {
  extensions: unknown;
  tools: unknown;
  read(uri: string): Promise<unknown>;
}

const EXTENSIONS = {
  'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
};
const capable = z.looseObject({ capabilities: z.looseObject({ extensions: z.unknown() }) });
const listed = z.array(
  z.looseObject({
    name: z.string(),
    _meta: z
      .looseObject({
        ui: z.strictObject({ resourceUri: z.string() }).optional(),
        'ui/resourceUri': z.string().optional(),
      })
      .optional(),
  }),
);
const document = z.looseObject({
  contents: z.tuple([
    z.strictObject({
      uri: z.string(),
      mimeType: z.literal('text/html;profile=mcp-app'),
      text: z.string(),
      // No domains: the host's policy lets the view load nothing.
      _meta: z.strictObject({ ui: z.strictObject({ prefersBorder: z.boolean() }) }),
    }),
  ]),
});

function resultOf(frame: Frame): unknown {
  if (!('result' in frame)) throw new Error(JSON.stringify(frame));
  return frame.result;
}

async function overStdio(isCurrent: boolean): Promise<Asked> {
  const wire = new Wire(makeHome());
  let sent = 0;
  const ask = async (method: string, params: object = {}) => {
    sent += 1;
    if (isCurrent) wire.sendModern(sent, method, params);
    else wire.send({ id: sent, method, params });
    return resultOf(await wire.answer(sent));
  };
  const welcome = isCurrent ? await ask('server/discover') : resultOf(await wire.initialize());
  const { tools } = z.looseObject({ tools: z.unknown() }).parse(await ask('tools/list'));
  return {
    extensions: capable.parse(welcome).capabilities.extensions,
    tools,
    read: (uri) => ask('resources/read', { uri }),
  };
}

async function overHttp(isCurrent: boolean): Promise<Asked> {
  const home = makeHome();
  const key = await makeKey(home, 'ada');
  const { url } = await serveForTest(home);
  const address = new URL('/mcp', url);
  const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  const info = { name: 'quantshelf-tests', version: '1' };
  const client = isCurrent
    ? new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    : new InitializeClient(info);
  onTestFinished(() => client.close());
  if (client instanceof ModernClient) await client.connect(new ModernHttp(address, options));
  else await client.connect(new InitializeHttp(address, options));
  return {
    extensions: capable.parse({ capabilities: client.getServerCapabilities() }).capabilities
      .extensions,
    tools: (await client.listTools()).tools,
    read: (uri) => client.readResource({ uri }),
  };
}

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('over %s', (_, ask) => {
  it.each([
    ['current', true],
    ['initialize', false],
  ])('a host of the %s era finds the view of every tool that has one', async (_, isCurrent) => {
    const { extensions, tools, read } = await ask(isCurrent);
    expect(extensions).toEqual(EXTENSIONS);
    for (const { name, isDrawn } of operations) {
      const meta = listed.parse(tools).find((tool) => tool.name === name)?._meta;
      const uri = meta?.ui?.resourceUri;
      expect(uri, name).toBe(isDrawn && 'ui://quantshelf/view.html');
      expect(meta?.['ui/resourceUri'], name).toBe(uri);
      if (uri === undefined) continue;
      const [content] = document.parse(await read(uri)).contents;
      expect(content.uri).toBe(uri);
      expect(content.text).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/);
      expect(Buffer.byteLength(content.text)).toBeLessThan(80_000);
    }
    await expect(read('ui://quantshelf/other.html')).rejects.toThrow(/other\.html|not found/i);
  });
});
