import { CANCELLED, type Outcome } from '../../core/run.ts';
import { accountOf, type RequestContext } from './context.ts';

type RequestId = string | number;

/** One POST to /mcp. */
export interface Exchange {
  request: RequestContext;
  /** Tells the clients of one key apart; undefined if the client has been given none. */
  session: string | undefined;
  /** Aborted when the client leaves before its answer. */
  left: AbortSignal;
  /** Ends the exchange without an answer if it holds nothing but the cancelled call. */
  stop(): void;
}

/**
 * Cancels calls by `notifications/cancelled`, which a client of the `initialize` era sends in a
 * request of its own. Request ids are unique only within a client, so that it must show the session
 * that it was given. A client of the current era closes the connection instead.
 */
export function createCancellations() {
  const running = new Map<string, AbortController>();
  const keyOf = (request: RequestContext, session: string | undefined, id: RequestId) =>
    session === undefined ? undefined : JSON.stringify([accountOf(request).name, session, id]);
  return {
    /** Runs a call whose signal is aborted when it is cancelled or its connection is closed. */
    async track(
      call: Exchange & { id: RequestId; closing: AbortSignal | undefined },
      work: (signal: AbortSignal) => Promise<Outcome>,
    ): Promise<Outcome> {
      const { closing, left, request, session, stop } = call;
      const key = keyOf(request, session, call.id);
      const cancelling = new AbortController();
      // The SDK's own signal misses a client that left before it listened.
      const ends = [cancelling.signal, left, ...(closing === undefined ? [] : [closing])];
      if (key !== undefined) running.set(key, cancelling);
      try {
        const outcome = await work(AbortSignal.any(ends));
        if (outcome.status === CANCELLED) stop();
        return outcome;
      } finally {
        if (key !== undefined && running.get(key) === cancelling) running.delete(key);
      }
    },

    /** Cancels what a message asks to cancel, if it does. `run` decides whether that is in time. */
    cancel(request: RequestContext, session: string | undefined, message: unknown): void {
      const id = cancelledBy(message);
      const key = id === undefined ? undefined : keyOf(request, session, id);
      if (key !== undefined) running.get(key)?.abort();
    },
  };
}

function cancelledBy(message: unknown): RequestId | undefined {
  if (!isObject(message) || message.method !== 'notifications/cancelled') return undefined;
  const id = isObject(message.params) ? message.params.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
