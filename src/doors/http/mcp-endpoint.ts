import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { Account } from '../../core/context.ts';
import { CANCELLED, type OpenShelf, readShelf } from '../../core/run.ts';
import type { InFlight } from '../in-flight.ts';
import { refusalsOf } from '../malformed.ts';
import { type CallTool, type CreateServer, withArguments } from '../mcp.ts';
import { accountOf, type CallOperation, type Env, type RequestState } from './request.ts';
import { forLog } from './response.ts';

/** Maximum number of notification streams, which clients may open although we send no notifications. */
const MAX_LISTENERS = 64;
/** Header that distinguishes the clients of one key. */
const SESSION = 'Mcp-Session-Id';

/** MCP over streamable HTTP. Every request gets a server of its own. */
export function createMcpEndpoint(options: {
  createServer: CreateServer;
  call: CallOperation;
  openFor(account: Account): Promise<OpenShelf>;
  inFlight: InFlight;
  log(line: string): void;
}) {
  const { createServer, call, openFor, inFlight, log } = options;
  /** Calls in progress that a message can cancel, by name. */
  const cancellable = new Map<string, AbortController>();
  // Maps each request to our state, because the SDK passes only the request to the factory.
  const states = new WeakMap<Request, RequestState>();
  const onerror = (error: Error) => log(`protocol: ${forLog(error.message)}`);

  function serverFor(from: Request | undefined) {
    const request = from && states.get(from);
    if (from === undefined || request === undefined) throw new Error('no state for this request');
    const callTool: CallTool = async (operation, input, options, id) => {
      const name = nameOfCall(request, from, id);
      const cancelling = new AbortController();
      if (name !== undefined) cancellable.set(name, cancelling);
      // The SDK's signal misses a client that disconnected before the SDK began to listen.
      const ends = [cancelling.signal, from.signal, ...(options.signal ? [options.signal] : [])];
      try {
        return await call(operation, input, request, {
          ...options,
          signal: AbortSignal.any(ends),
        });
      } finally {
        if (name !== undefined && cancellable.get(name) === cancelling) cancellable.delete(name);
      }
    };
    return createServer(callTool, (subject, read) => {
      request.operations.push(subject.name);
      const { requestId } = request;
      const open = () => openFor(accountOf(request));
      return readShelf(subject, read, { requestId, log, open });
    });
  }

  const handler = createMcpHandler(({ requestInfo }) => serverFor(requestInfo), {
    maxSubscriptions: MAX_LISTENERS,
    onerror,
  });

  /**
   * Answers a client of the `initialize` era in plain JSON. The SDK would stream, and the Python client cannot
   * read a stream's long lines.
   */
  async function respondInOne(from: Request, parsedBody: JSONRPCMessage): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    transport.onerror = onerror;
    await serverFor(from).connect(transport);
    try {
      return await transport.handleRequest(from, { parsedBody });
    } finally {
      await transport.close();
    }
  }

  async function respond(c: Context<Env>): Promise<Response> {
    const { request, body } = c.var;
    const from = c.req.raw;
    const message = parseMessage(body);
    if (message === undefined) return refuse(body);
    if (from.signal.aborted) return new Response(null, { status: CANCELLED });
    states.set(from, request);
    const { method = '', params } = 'method' in message ? message : {};
    if (method === 'notifications/cancelled') {
      const name = nameOfCall(request, from, params?.requestId);
      if (name !== undefined) cancellable.get(name)?.abort();
    }
    // The SDK rejects clients that accept only JSON, although only progress needs a stream.
    from.headers.set('Accept', 'application/json, text/event-stream');
    const isStreamed =
      params?._meta?.progressToken !== undefined || !(await isLegacyRequest(from, message));
    const response = isStreamed
      ? await handler.fetch(from, { parsedBody: message })
      : await respondInOne(from, message);
    if (method === 'initialize') response.headers.set(SESSION, crypto.randomUUID());
    return trackStream(response, request, inFlight);
  }

  return {
    respond: (c: Context<Env>) => inFlight.track(respond(c)),
    /** Ends the notification streams, and streamed calls that are still running. */
    close: () => handler.close(),
  };
}

/** Answers a malformed message, or each request in a batch, with an error. */
function refuse(body: string): Response {
  const refusals = refusalsOf(body);
  if (refusals.length === 0) return new Response(null, { status: 202 });
  return Response.json(refusals.length === 1 ? refusals[0] : refusals, { status: 400 });
}

/**
 * The name by which a later request from a client of the `initialize` era can cancel a call. It needs a session
 * id, because request ids are unique only within a client. Clients of the current era close the connection instead.
 */
function nameOfCall(request: RequestState, { headers }: Request, id: unknown) {
  const session = headers.get(SESSION);
  if (session === null || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return JSON.stringify([accountOf(request).name, session, id]);
}

/** Tracks a streamed response. The door does not wait for notification streams, which never end by themselves. */
function trackStream(response: Response, request: RequestState, inFlight: InFlight): Response {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (!isStream || response.body === null) return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // If the client disconnects, the pipe rejects; that ends the stream too.
  const ended = request.inFlight.track(response.body.pipeTo(writable).catch(() => {}));
  if (request.operations.length > 0) void inFlight.track(ended);
  return new Response(readable, response);
}

function parseMessage(body: string): JSONRPCMessage | undefined {
  try {
    return withArguments(parseJSONRPCMessage(JSON.parse(body)));
  } catch {
    return undefined;
  }
}
