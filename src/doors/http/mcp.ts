import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import type { Handler } from 'hono';
import { type CallTool, withArguments } from '../mcp.ts';
import { redactKeys } from './access-log.ts';
import { countCall, type TakeCall } from './auth.ts';
import type { CallOperation } from './calls.ts';
import type { Env, RequestContext } from './context.ts';
import type { InFlightCounter } from './in-flight.ts';
import { watchEnd } from './stream.ts';

/** Streams that only wait for notifications, of which there are none: one for every client. */
const MAX_LISTENERS = 64;
/** Characters of an error message that the log keeps. */
const MAX_MESSAGE = 200;

/** MCP over streamable HTTP. Every request gets a server of its own. */
export interface McpEndpoint {
  answer: Handler<Env>;
  /** Ends the streams that wait for notifications. */
  close(): Promise<void>;
}

export function createMcpEndpoint(options: {
  createServer(call: CallTool): McpServer;
  call: CallOperation;
  takeCall: TakeCall;
  inFlight: InFlightCounter;
  log(line: string): void;
}): McpEndpoint {
  const { createServer, call, takeCall, inFlight, log } = options;
  // The SDK hands its factory the request and nothing of ours.
  const contexts = new WeakMap<Request, RequestContext>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const request = requestInfo && contexts.get(requestInfo);
      if (request === undefined) throw new Error('an MCP server without a request');
      return createServer((operation, input, options) => call(operation, input, request, options));
    },
    {
      maxSubscriptions: MAX_LISTENERS,
      onerror: (error) => log(`protocol: ${quote(error.message)}`),
    },
  );
  return {
    async answer(c) {
      const { request, body } = c.var;
      const parsedBody = parseMessages(body);
      if (parsedBody === undefined) return Response.json(PARSE_ERROR, { status: 400 });
      // The request itself was counted as the first call.
      for (let calls = countToolCalls(parsedBody); calls > 1; calls -= 1) {
        await countCall(request, takeCall);
      }
      contexts.set(c.req.raw, request);
      const response = await handler.fetch(c.req.raw, { parsedBody });
      return trackStream(response, request, inFlight);
    },
    close: () => handler.close(),
  };
}

const PARSE_ERROR = {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'Parse error: the body is not valid JSON' },
  id: null,
};

/** Counts a stream that answers a call as in flight; one that only listens never ends by itself. */
function trackStream(
  response: Response,
  request: RequestContext,
  inFlight: InFlightCounter,
): Response {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (!isStream || response.body === null) return response;
  const { body, ended } = watchEnd(response.body);
  request.streamEnded = ended;
  if (request.operations.length > 0) void ended.then(inFlight.enter());
  return new Response(body, response);
}

/** The SDK's message may quote a header: keep it short, on one line and free of keys. */
function quote(message: string): string {
  return redactKeys(message)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, MAX_MESSAGE);
}

/** One message or a batch; undefined if the body is not JSON. */
function parseMessages(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return Array.isArray(parsed) ? parsed.map(withArguments) : withArguments(parsed);
  } catch {
    return undefined;
  }
}

function countToolCalls(messages: unknown): number {
  return [messages].flat().filter((each) => isObject(each) && each.method === 'tools/call').length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
