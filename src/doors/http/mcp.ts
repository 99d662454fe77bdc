import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { Account, HeldShelf } from '../../core/context.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Asked, Reading } from '../../core/read.ts';
import { CANCELLED, toFailure } from '../../core/run.ts';
import { untilAborted } from '../../core/time.ts';
import { type CreateServer, withArguments } from '../mcp.ts';
import { redactKeys } from './access-log.ts';
import { countCall, type TakeCall } from './auth.ts';
import type { CallOperation, InFlightCounter } from './calls.ts';
import { createCancellations, type Exchange, isObject } from './cancellations.ts';
import { accountOf, type Env, type RequestContext, send } from './context.ts';
import { acceptBoth, encodeBody } from './encoding.ts';

/** Streams that only wait for notifications, of which there are none: one for every client. */
const MAX_LISTENERS = 64;
/** Carries what tells the clients of one key apart. */
const SESSION = 'Mcp-Session-Id';
/** Characters of an error message that the log keeps. */
const MAX_MESSAGE = 200;

/** Requests that count against the rate limit one by one, also within a batch. */
const COUNTED = [
  ...['tools/call', 'resources/read', 'prompts/get', 'completion/complete'],
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'],
];

/** `readShelf`, with the shelf that is served. */
export type ReadFor = <T>(
  asked: Asked,
  read: (shelf: HeldShelf) => T | Promise<T>,
  by: { account: Account; requestId: string },
) => Promise<Reading<T>>;

/** MCP over streamable HTTP. Every request gets a server of its own. */
export function createMcpEndpoint(options: {
  createServer: CreateServer;
  call: CallOperation;
  readShelf: ReadFor;
  takeCall: TakeCall;
  inFlight: InFlightCounter;
  log(line: string): void;
}) {
  const { createServer, call, readShelf, takeCall, inFlight, log } = options;
  const cancellations = createCancellations();
  // The SDK hands its factory the request and nothing of ours.
  const exchanges = new WeakMap<Request, Exchange>();
  const onerror = (error: Error) => log(`protocol: ${quote(error.message)}`);
  const serverFor = (from: Request | undefined) => {
    const exchange = from && exchanges.get(from);
    if (exchange === undefined) throw new Error('an MCP server without a request');
    const { request } = exchange;
    return createServer(
      (operation, input, options, id) =>
        cancellations.track({ ...exchange, id, closing: options.signal }, (signal) =>
          call(operation, input, request, { ...options, signal }),
        ),
      (asked, read) => {
        request.operations.push(asked.name);
        return readShelf(asked, read, {
          account: accountOf(request),
          requestId: request.requestId,
        });
      },
    );
  };
  const handler = createMcpHandler(({ requestInfo }) => serverFor(requestInfo), {
    maxSubscriptions: MAX_LISTENERS,
    onerror,
  });
  /**
   * The SDK answers clients of the `initialize` era in a stream, and that of Python reads none with a
   * long line: only progress needs one.
   */
  async function answerInOne(from: Request, parsedBody: unknown): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    transport.onerror = onerror;
    await serverFor(from).connect(transport);
    try {
      return await untilAborted(transport.handleRequest(from, { parsedBody }), from.signal);
    } catch (error) {
      if (!from.signal.aborted) throw error;
      return new Response(null, { status: CANCELLED });
    } finally {
      await transport.close();
    }
  }
  return {
    async answer(c: Context<Env>): Promise<Response> {
      const { request, body } = c.var;
      const parsedBody = parseMessages(body);
      if (parsedBody === undefined) return Response.json(PARSE_ERROR, { status: 400 });
      // The request itself was counted as the first call.
      const calls = countCalls(parsedBody);
      for (let counted = 1; counted < calls; counted += 1) await countCall(request, takeCall);
      const session = c.req.header(SESSION);
      cancellations.cancel(request, session, parsedBody);
      const stop = () => {
        if (calls !== 1) return;
        request.isCancelled = true;
        request.endStream?.();
      };
      const { headers, signal: left } = c.req.raw;
      if (left.aborted) return new Response(null, { status: CANCELLED });
      exchanges.set(c.req.raw, { request, session, left, stop });
      headers.set('Accept', acceptBoth(headers.get('Accept')));
      const isStreamed =
        wantsProgress(parsedBody) || !(await isLegacyRequest(c.req.raw, parsedBody));
      const response = isStreamed
        ? await handler.fetch(c.req.raw, { parsedBody })
        : await answerInOne(c.req.raw, parsedBody);
      if (response.status === 406) return refuseAccept(c, log);
      if (isObject(parsedBody) && parsedBody.method === 'initialize') {
        response.headers.set(SESSION, crypto.randomUUID());
      }
      if (response.headers.get('Content-Type') === 'application/json') {
        return encodeAnswer(response, c.req.header('Accept-Encoding'));
      }
      return trackStream(response, request, inFlight);
    },
    /** Ends the streams that wait for notifications. */
    close: () => handler.close(),
  };
}

const PARSE_ERROR = {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'Parse error: the body is not valid JSON' },
  id: null,
};

/** In our own shape instead of the SDK's. */
function refuseAccept(c: Context<Env>, log: (line: string) => void): Promise<Response> {
  const { requestId, account } = c.var.request;
  const cause = invalidRequest(
    'The answer may be JSON or a stream: send the header "Accept: application/json, text/event-stream", or "*/*".',
  );
  const { envelope } = toFailure(cause, { requestId, name: 'mcp', account, log });
  return send(c, 406, JSON.stringify(envelope));
}

async function encodeAnswer(response: Response, accept: string | undefined): Promise<Response> {
  const { bytes, headers } = await encodeBody(await response.text(), accept);
  const all = [...response.headers, ...Object.entries(headers)];
  return new Response(bytes, { status: response.status, headers: new Headers(all) });
}

/** Counts a stream that answers a call as in flight; one that only listens never ends by itself. */
function trackStream(
  response: Response,
  request: RequestContext,
  inFlight: InFlightCounter,
): Response {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (!isStream || response.body === null) return response;
  const { body, ended, end } = watchEnd(response.body);
  request.streamEnded = ended;
  request.endStream = end;
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

/** Whether a message asks to hear of its progress. */
function wantsProgress(messages: unknown): boolean {
  return [messages].flat().some((message) => {
    const params = isObject(message) && isObject(message.params) ? message.params : {};
    return isObject(params._meta) && params._meta.progressToken !== undefined;
  });
}

function countCalls(messages: unknown): number {
  return [messages].flat().filter((each) => isObject(each) && COUNTED.includes(String(each.method)))
    .length;
}

/**
 * A stream passed on unchanged, a promise that resolves when it has ended, however it did, and a
 * function that ends it.
 */
function watchEnd(body: ReadableStream<Uint8Array>): {
  body: ReadableStream<Uint8Array>;
  ended: Promise<void>;
  end: () => void;
} {
  const reader = body.getReader();
  let resolve = () => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  const passed = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      resolve();
    },
    cancel(reason) {
      resolve();
      return reader.cancel(reason);
    },
  });
  // The reader then finds the end, and the one who passes the stream on with it.
  const end = () => void reader.cancel().catch(() => {});
  return { body: passed, ended, end };
}
