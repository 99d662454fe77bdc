import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BrokenRequest, type BrokenStatus } from './failure.ts';

/** How often unread answers are looked for while requests wait for room, in milliseconds. */
const CLEAN_EVERY_MS = 1_000;
/** Answered ahead of whatever waits for room: it is short, and silence would pass for a crash. */
const AHEAD = '/health';

/** Answers a request; `broken` is aborted when the rest of its body will not come. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  broken: AbortSignal,
) => void;

export interface ConnectionLimits {
  /** Open connections: of one address, and of all. */
  perAddress: number;
  connections: number;
  /** Unanswered requests per connection; one more ends it. */
  pipelined: number;
  /** Bytes of answers that wait for their clients to read; beyond it no further request starts. */
  unsentBytes: number;
  /** How long an answer may wait for its client while others wait for room. */
  unreadMs: number;
}

export type Connections = ReturnType<typeof limitConnections>;

interface Exchange {
  request: IncomingMessage;
  breaking: AbortController;
  start(): void;
}

interface Connection {
  socket: Socket;
  address: string;
  /** Requests without an answer, in their order; only the first is at work. */
  due: Exchange[];
  isAtWork: boolean;
  /** When it became idle, or its request began; milliseconds of a monotonic clock. */
  since: number;
  /** Set once nothing more is read; called when nothing is due any more. */
  end: (() => void) | undefined;
  /** One request too many came; whatever follows is not heard. */
  isRefused: boolean;
}

/**
 * Keeps the connections of a server within their limits. The requests of one connection are answered
 * one after the other, each after the answer before it was sent: a client that asks on without
 * reading waits itself, instead of having its answers wait in memory. `refuse` ends a connection that
 * has asked too much.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  refuse: (response: ServerResponse) => void,
) {
  const open = new Map<Socket, Connection>();
  /** Connections whose next request waits for room. */
  const waiting = new Set<Connection>();
  let starting: NodeJS.Immediate | undefined;
  /** Whether a request has begun in this turn of the event loop. */
  let hasBegun = false;
  let isClosing = false;
  let cleaning: NodeJS.Timeout | undefined;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (!makeRoom(address)) return void socket.destroy();
    open.set(socket, {
      socket,
      address,
      due: [],
      isAtWork: false,
      since: performance.now(),
      end: undefined,
      isRefused: false,
    });
    socket.once('close', () => {
      const connection = open.get(socket);
      open.delete(socket);
      if (connection !== undefined) {
        waiting.delete(connection);
        // Nobody is there for the answers to what was not begun: it must cost nothing.
        connection.due = [];
      }
      startWaiting();
    });
  });

  /** Closes the longest idle connection where there is one too many; false if none is idle. */
  function makeRoom(address: string): boolean {
    const all = [...open.values()];
    const same = all.filter((each) => each.address === address);
    const crowd = same.length >= limits.perAddress ? same : all;
    if (crowd === all && all.length < limits.connections) return true;
    const [idle] = crowd.filter(({ due }) => due.length === 0).sort((a, b) => a.since - b.since);
    if (idle === undefined) return false;
    idle.socket.destroy();
    open.delete(idle.socket);
    return true;
  }

  const unsentBytes = () => {
    let bytes = 0;
    for (const socket of open.keys()) bytes += socket.writableLength;
    return bytes;
  };

  /**
   * Starts the next request of a connection, if it is its turn, its answer can still be sent and there
   * is room for it.
   */
  function start(connection: Connection): void {
    const [next] = connection.due;
    if (connection.isAtWork || next === undefined || !connection.socket.writable) return;
    const hasRoom = waiting.size === 0 && !hasBegun && unsentBytes() <= limits.unsentBytes;
    if (hasRoom || next.request.url === AHEAD) begin(connection);
    else {
      waiting.add(connection);
      startWaiting();
      closeUnread();
    }
  }

  function begin(connection: Connection): void {
    // One a turn: what many ask at once is not counted before it is answered.
    hasBegun = true;
    setImmediate(() => {
      hasBegun = false;
    });
    connection.isAtWork = true;
    connection.since = performance.now();
    connection.due[0]?.start();
  }

  /** Starts those that wait for room, one per turn of the event loop: then its answer counts. */
  function startWaiting(): void {
    if (waiting.size === 0 || starting !== undefined) return;
    starting = setImmediate(() => {
      starting = undefined;
      const [first] = waiting;
      if (first === undefined || unsentBytes() > limits.unsentBytes) return;
      waiting.delete(first);
      if (first.due.length > 0 && first.socket.writable) begin(first);
      startWaiting();
    });
  }

  /** While requests wait for room, connections go whose clients have not read for long. */
  function closeUnread(): void {
    cleaning ??= setTimeout(() => {
      cleaning = undefined;
      if (waiting.size === 0) return;
      const [oldest] = [...open.values()]
        .filter(({ socket }) => socket.writableLength > 0)
        .sort((a, b) => a.since - b.since);
      if (oldest !== undefined && performance.now() - oldest.since > limits.unreadMs) {
        oldest.socket.destroy();
      }
      startWaiting();
      closeUnread();
    }, CLEAN_EVERY_MS);
    cleaning.unref();
  }

  function finish(connection: Connection): void {
    if (!open.has(connection.socket)) return;
    connection.due.shift();
    connection.isAtWork = false;
    connection.since = performance.now();
    if (connection.due.length === 0) {
      if (connection.end !== undefined) connection.end();
      else if (isClosing) connection.socket.destroySoon();
    }
    start(connection);
    startWaiting();
  }

  return {
    wrap: (answer: Listener) => (request: IncomingMessage, response: ServerResponse) => {
      const connection = open.get(request.socket);
      if (connection === undefined || connection.isRefused) return;
      const breaking = new AbortController();
      if (connection.due.length === limits.pipelined) {
        // Whatever follows would be charged though its answer can no longer be sent.
        connection.isRefused = true;
        return refuse(response);
      }
      response.once('close', () => finish(connection));
      connection.due.push({
        request,
        breaking,
        start: () => answer(request, response, breaking.signal),
      });
      start(connection);
    },

    /** Answers what is due on a connection that cannot be read any further, then calls `end`. */
    breakOff(socket: Socket, status: BrokenStatus, end: () => void): void {
      const connection = open.get(socket);
      if (connection === undefined) return void socket.destroy();
      if (connection.end !== undefined) return;
      const last = connection.due.at(-1);
      if (last === undefined) return void end();
      // Node would end the connection with the client's side of it, and the answers with both.
      socket.removeAllListeners('end');
      if (last.request.complete) connection.end = end;
      else {
        // Its own answer says what is wrong.
        connection.end = () => socket.destroySoon();
        last.breaking.abort(new BrokenRequest(status));
      }
    },

    /** Closes connections as they become idle, and those that are at once. */
    closeIdle(): void {
      isClosing = true;
      for (const { due, socket } of open.values()) if (due.length === 0) socket.destroySoon();
    },

    /** Refuses the requests whose bodies are not complete. */
    refuseIncomplete(): void {
      for (const { request, breaking } of [...open.values()].flatMap(({ due }) => due)) {
        if (!request.complete) breaking.abort(new BrokenRequest(503));
      }
    },
  };
}
