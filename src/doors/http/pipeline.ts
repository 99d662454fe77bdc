import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Limits how many requests of one connection may wait for their answers. */
export interface PipelineLimit {
  wrap(answer: Listener): Listener;
  /** Whether an answer is still due on a connection. */
  isAnswerDue(socket: Socket): boolean;
}

/**
 * One request beyond `limit` is handed to `refuse`, which ends the connection: a client that keeps
 * asking without reading would have all the answers wait in memory.
 */
export function createPipelineLimit(
  limit: number,
  refuse: (response: ServerResponse) => void,
): PipelineLimit {
  const unanswered = new WeakMap<Socket, number>();
  const countOf = (socket: Socket) => unanswered.get(socket) ?? 0;
  return {
    wrap(answer) {
      return (request, response) => {
        const { socket } = request;
        const count = countOf(socket) + 1;
        unanswered.set(socket, count);
        if (count <= limit) {
          response.once('close', () => unanswered.set(socket, countOf(socket) - 1));
          answer(request, response);
        } else if (count === limit + 1) {
          // Whatever follows would be charged though its answer can no longer be sent.
          unanswered.set(socket, Number.POSITIVE_INFINITY);
          refuse(response);
        }
      };
    },
    isAnswerDue: (socket) => countOf(socket) > 0,
  };
}
