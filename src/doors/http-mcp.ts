import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { KEY } from './http-visit.ts';
import { withArguments } from './messages.ts';

/** Streams that only wait for news, of which there is none: enough for every client to have one. */
const MAX_LISTENERS = 64;
/** Characters of a fault that the log keeps. */
const MAX_MESSAGE = 200;

/** MCP over streamable HTTP, fetch-shaped; every request is served by a server of its own. */
export interface McpEndpoint {
  fetch(request: Request, body: string): Promise<Response>;
  /** Ends the streams that wait for news. */
  close(): Promise<void>;
}

/** `createServer` is given the request that it is to serve. */
export function createMcpEndpoint(
  createServer: (request: Request) => McpServer,
  log: (line: string) => void,
): McpEndpoint {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      if (requestInfo === undefined) throw new Error('an MCP server without a request');
      return createServer(requestInfo);
    },
    {
      maxSubscriptions: MAX_LISTENERS,
      onerror: (error) => log(`protocol: ${quietly(error.message)}`),
    },
  );
  return {
    async fetch(request, body) {
      const parsedBody = parseMessages(body);
      if (parsedBody !== undefined) return handler.fetch(request, { parsedBody });
      const error = { code: -32700, message: 'Parse error: the body is not valid JSON' };
      return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
    },
    close: () => handler.close(),
  };
}

/** The library's words may quote a header: short, on one line, and without a key. */
function quietly(message: string): string {
  return message
    .replace(KEY, 'qs_***')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, MAX_MESSAGE);
}

/** The tool calls among the messages of a body: a batch of them is as many calls. */
export function countCalls(body: string): number {
  const messages = [parseMessages(body)].flat();
  return messages.filter((each) => isObject(each) && each.method === 'tools/call').length;
}

/** One message or a batch; undefined for what is no JSON. */
function parseMessages(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return Array.isArray(parsed) ? parsed.map(withArguments) : withArguments(parsed);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
