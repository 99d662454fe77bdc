import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { codeOf } from '../../core/errors.ts';

/** A connection idle for less than this, in milliseconds, is likely to send a request. */
const FRESH_MS = 1_000;
/** Beyond this multiple of the limit, even fresh connections are closed. */
const MOST_OPEN = 4;

/** Node's own status lines for malformed or late requests, by error code; any other code gets a 400. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** A server's open connections. Up to `most` of them may be busy with requests. */
export class Sockets {
  readonly #most: number;
  /** Responses that have not ended, by connection. */
  readonly #open = new Map<Socket, Set<ServerResponse>>();
  /** When each idle connection became idle, oldest first. Only requests with a key make a connection busy. */
  readonly #idle = new Map<Socket, number>();
  readonly #refused = new WeakSet<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('clientError', (error, socket) => {
      if (socket instanceof Socket) void this.#refuse(error, socket);
    });
  }

  /** Bytes of responses that clients have not read yet. */
  get unsent(): number {
    let bytes = 0;
    for (const { writableLength } of this.#open.keys()) bytes += writableLength;
    return bytes;
  }

  countUnanswered(socket: Socket): number {
    return this.#open.get(socket)?.size ?? 0;
  }

  /**
   * Counts a request until its response has ended; returns false if too many connections are busy. A request
   * without a key leaves its connection idle: the response is immediate, and an unread one may be dropped.
   */
  begin({ socket, headers }: IncomingMessage, response: ServerResponse): boolean {
    const unanswered = this.#open.get(socket);
    unanswered?.add(response);
    if (headers.authorization !== undefined) this.#idle.delete(socket);
    response.once('close', () => {
      unanswered?.delete(response);
      if (unanswered?.size !== 0 || !this.#open.has(socket)) return;
      this.#idle.delete(socket);
      this.#idle.set(socket, performance.now());
    });
    return this.#open.size - this.#idle.size <= this.#most;
  }

  #add(socket: Socket): void {
    this.#open.set(socket, new Set());
    this.#idle.set(socket, performance.now());
    socket.once('close', () => this.#forget(socket));
    this.#makeRoom(socket);
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.#idle.delete(socket);
  }

  /** Closes the longest-idle connections to make room; fresh ones only if far too many are open. */
  #makeRoom(added: Socket): void {
    for (const [socket, since] of this.#idle) {
      const { size } = this.#open;
      if (size <= this.#most || socket === added) return;
      const isFresh = performance.now() - since < FRESH_MS;
      if (isFresh && size <= MOST_OPEN * this.#most) return;
      this.#forget(socket);
      socket.destroy();
    }
  }

  /**
   * Rejects a malformed or late request once the good requests pipelined before it are answered; Node would
   * answer at once, ahead of them.
   */
  async #refuse(error: Error, socket: Socket): Promise<void> {
    if (this.#refused.has(socket)) return;
    const code = codeOf(error);
    this.#refused.add(socket);
    const unanswered = [...(this.#open.get(socket) ?? [])];
    // The other requests' bodies will never be complete.
    const good = unanswered.filter(({ req }) => req.complete);
    await Promise.all(good.map((response) => once(response, 'close')));
    const isBegun = unanswered.some((response) => !good.includes(response) && response.headersSent);
    if (socket.writable && code !== 'ECONNRESET' && !isBegun) {
      socket.write(`HTTP/1.1 ${REFUSALS[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroySoon();
  }
}
