import { setImmediate as nextTurn } from 'node:timers/promises';
import { CANCELLED, type Outcome } from '../../core/run.ts';

/** Calls at work at once. */
const MAX_RUNNING = 8;
/** Unanswered calls, and bytes of those that wait, beyond which no further line is read. */
const MAX_UNANSWERED = 10_000;
const MAX_BYTES = 16 * 1024 ** 2;

export type RequestId = string | number;

interface Call {
  cancelling: AbortController;
  /** Length of its line, until it starts. */
  bytes: number;
  /** Its outcome is that it was cancelled, so that it is not answered. */
  isDropped: boolean;
}

/**
 * The tool calls of a connection. Eight run at once and the others wait in their order, so that
 * everything else is answered meanwhile. A cancelled call that waits leaves at once; one that runs
 * keeps its place until its work has ended.
 */
export class CallQueue {
  readonly #isOutputFull: () => boolean;
  /** The calls that were received and neither answered nor dropped. */
  readonly #calls = new Map<RequestId, Call>();
  readonly #waiting = new Map<Call, () => void>();
  #waitingBytes = 0;
  #running = 0;
  readonly #whenRoom: (() => void)[] = [];
  readonly #whenIdle: (() => void)[] = [];

  /** While the client does not read its answers, no call starts. */
  constructor(isOutputFull: () => boolean) {
    this.#isOutputFull = isOutputFull;
  }

  /** Registers the call of a request whose line is `bytes` long. */
  receive(id: RequestId, bytes: number): void {
    this.#waitingBytes += bytes;
    const call = this.#calls.get(id);
    // A client that uses an id twice at once gets two answers and cannot tell them apart.
    if (call !== undefined) call.bytes += bytes;
    else this.#calls.set(id, { cancelling: new AbortController(), bytes, isDropped: false });
  }

  /** Cancels a call; false if there is none. Whether it comes in time is decided by `run`. */
  cancel(id: RequestId): boolean {
    const call = this.#calls.get(id);
    call?.cancelling.abort();
    return call !== undefined;
  }

  /** Runs a call in its turn; `closing` is aborted with the connection, and cancels it, too. */
  async run(
    id: RequestId,
    closing: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome> {
    const call = this.#calls.get(id) ?? {
      cancelling: new AbortController(),
      bytes: 0,
      isDropped: false,
    };
    const { cancelling } = call;
    const abort = () => cancelling.abort();
    closing?.addEventListener('abort', abort, { once: true });
    if (closing?.aborted === true) abort();
    await this.#turnOf(call);
    this.#forgetBytes(call);
    try {
      // A cancellation that came together with the call is read first.
      await nextTurn();
      const outcome = await work(cancelling.signal);
      call.isDropped = outcome.status === CANCELLED;
      return outcome;
    } finally {
      closing?.removeEventListener('abort', abort);
      this.#running -= 1;
      this.advance();
    }
  }

  /** Forgets a call that is about to be answered; false if it must not be. */
  settle(id: RequestId): boolean {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call !== undefined) this.#forgetBytes(call);
    this.advance();
    return call?.isDropped !== true;
  }

  /** Forgets all calls: nothing can be answered any more. */
  clear(): void {
    for (const id of this.#calls.keys()) this.settle(id);
  }

  /** Starts what can start; to be called when the output has been read. */
  advance(): void {
    for (const start of this.#waiting.values()) {
      if (this.#running >= MAX_RUNNING || this.#isOutputFull()) break;
      start();
    }
    if (this.#hasRoom()) for (const resolve of this.#whenRoom.splice(0)) resolve();
    if (this.isIdle()) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when another line may be read. */
  room(): Promise<void> {
    if (this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenRoom.push(resolve);
    });
  }

  /** Whether nothing runs, waits or has still to be answered. */
  isIdle(): boolean {
    return this.#calls.size + this.#waiting.size + this.#running === 0;
  }

  /** Resolves when that is so. */
  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #hasRoom(): boolean {
    const isFull = this.#calls.size >= MAX_UNANSWERED || this.#waitingBytes >= MAX_BYTES;
    return !isFull && !this.#isOutputFull();
  }

  #forgetBytes(call: Call): void {
    this.#waitingBytes -= call.bytes;
    call.bytes = 0;
  }

  /** Resolves when the call may start: a cancelled one at once, for it has nothing to do. */
  #turnOf(call: Call): Promise<void> {
    const { signal } = call.cancelling;
    return new Promise((resolve) => {
      const start = () => {
        signal.removeEventListener('abort', start);
        this.#waiting.delete(call);
        this.#running += 1;
        resolve();
      };
      const isFree = this.#running < MAX_RUNNING && !this.#isOutputFull();
      if (signal.aborted || (isFree && this.#waiting.size === 0)) return start();
      signal.addEventListener('abort', start);
      this.#waiting.set(call, start);
    });
  }
}
