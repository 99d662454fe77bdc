import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** What Node refuses, or we refuse, before there is a request to hand to the app. */
export type MalformedStatus = 400 | 408 | 417 | 429 | 431;

const CODES: Readonly<Record<string, MalformedStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The status for a request that broke off before its body was complete. */
export function brokenStatusOf(error: NodeJS.ErrnoException): 400 | 408 {
  return CODES[error.code ?? ''] === 408 ? 408 : 400;
}

/** Limits that the messages name. */
export interface NamedLimits {
  headerBytes: number;
  pipelined: number;
}

const HEADERS = {
  'Content-Type': 'application/json',
  'X-API-Version': '1',
  Connection: 'close',
} as const;

/** Answers requests that never reach the app, in the shape of every error. */
export function createMalformedAnswers(limits: NamedLimits) {
  const messages: Readonly<Record<MalformedStatus, string>> = {
    400: 'Malformed HTTP request.',
    408: 'The request was not complete in time.',
    417: 'The only expectation that is met is "100-continue".',
    429: `At most ${limits.pipelined} requests of one connection may wait for their answers.`,
    431: `The headers must stay under ${limits.headerBytes / 1024} KiB.`,
  };
  // No call was made of it, so its id is in no log.
  const compose = (status: MalformedStatus) => {
    const code = status === 429 ? 'rate_limited' : 'invalid_request';
    const requestId = crypto.randomUUID();
    const text = JSON.stringify({ error: { code, message: messages[status], requestId } });
    const length = String(Buffer.byteLength(text));
    return { text, headers: { ...HEADERS, 'X-Request-Id': requestId, 'Content-Length': length } };
  };
  return {
    toResponse(status: MalformedStatus): Response {
      const { text, headers } = compose(status);
      return new Response(text, { status, headers });
    },
    send(response: ServerResponse, status: MalformedStatus): void {
      const { text, headers } = compose(status);
      response.writeHead(status, headers).end(text);
    },
    /** Answers on the bare connection, and ends it. */
    sendRaw(socket: Socket, error: NodeJS.ErrnoException): void {
      if (!socket.writable) return;
      const status = CODES[error.code ?? ''] ?? 400;
      const { text, headers } = compose(status);
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
      // A half-open connection would count against the limit for as long as the client likes.
      socket.destroySoon();
    },
  };
}
