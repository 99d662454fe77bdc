import type { Area } from './area.ts';
import type { Account, Context, StoredShelf } from './context.ts';
import { REMEDIES, storeFaultOf } from './disk.ts';
import type { Failure, Success } from './envelope.ts';
import {
  codeOf,
  describeError,
  ERROR_STATUS,
  type ErrorStatus,
  INTERNAL_ERROR_MESSAGE,
  ServiceError,
  serviceUnavailable,
} from './errors.ts';
import { parseInput } from './input.ts';
import type { Operation } from './operation.ts';
import { MODEL_REPLY, WHOLE_REPLY } from './reply.ts';
import { countOf } from './text.ts';

export type Failed = { ok: false; status: ErrorStatus; envelope: Failure };

/** The result of a cancelled call: nobody receives the envelope, but the log records the status. */
export type Cancelled = { ok: false; status: typeof CANCELLED; envelope: Failure };

export type CallResult = { ok: true; status: 200; envelope: Success } | Failed | Cancelled;

/** nginx's status for a client that disconnected before the response. */
export const CANCELLED = 499;

/** The parts of a shelf that a call needs. */
export interface OpenShelf {
  context: Omit<Context, 'report' | 'replySize' | 'signal'>;
  account: Account;
  /** The store's directory; after an error, its disk is checked for free space. */
  home?: string | undefined;
}

/** What a door provides for a call. */
export interface Caller {
  /** Opens the shelf on the first call; rejects with a ServiceError if that fails. */
  open(): Promise<OpenShelf>;
  /** Logs the cause of a failure; must not write to stdout. */
  log(line: string): void;
  requestId?: string;
  /** Receives a long call's progress messages. */
  report?: ((message: string) => void) | undefined;
  /** Whether the reply goes to a language model, whose host may truncate a long reply. */
  isForModel?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export type CallOptions = Pick<Caller, 'report' | 'isForModel' | 'signal'>;

/**
 * The only path from a door to a handler: checks the scope, parses and checks the input, checks the balance,
 * runs the handler, checks the output, charges, wraps. Never throws. A failed call costs nothing.
 *
 * A call counts as answered once its charge is committed or, if it is free, its output is checked. Cancelled
 * earlier, it costs nothing and its result is `Cancelled`. Cancelled later, it is charged and its result is the
 * reply, which the door sends if the client is still there.
 */
export async function run(operation: Operation, raw: unknown, caller: Caller): Promise<CallResult> {
  const requestId = caller.requestId ?? crypto.randomUUID();
  const { signal = new AbortController().signal, log } = caller;
  let shelf: OpenShelf | undefined;
  try {
    signal.throwIfAborted();
    shelf = await caller.open();
    signal.throwIfAborted();
    const { account } = shelf;
    requireScope(operation, account);
    const input = parseInput(operation, raw);
    operation.check?.(input);
    if (account.balance() < operation.price) throw insufficientCredits(operation, account);
    const report = (message: string) => {
      if (!signal.aborted) caller.report?.(message);
    };
    const replySize = caller.isForModel === true ? MODEL_REPLY : WHOLE_REPLY;
    const context = { ...shelf.context, report, replySize, signal };
    const { data: sent, meta } = await operation.handler(input, context);
    const { data, error } = operation.output.safeParse(sent);
    if (error !== undefined) throw new Error(`the reply violates its own schema: ${error.message}`);
    signal.throwIfAborted();
    const { name, price } = operation;
    const remainingCredits =
      price === 0
        ? account.balance()
        : await account.charge({ operation: name, credits: price, requestId }, signal);
    // A concurrent call spent the balance after our check; discard the reply.
    if (remainingCredits === null) throw insufficientCredits(operation, account);
    const costs = { creditsUsed: price, remainingCredits };
    return { ok: true, status: 200, envelope: { meta: { ...costs, requestId, ...meta }, data } };
  } catch (cause) {
    if (signal.aborted) {
      const message = 'The call was cancelled before its reply. Nothing was charged.';
      const error = { code: 'invalid_request', message, requestId } as const;
      return { ok: false, status: CANCELLED, envelope: wrapFailure(error, shelf?.account) };
    }
    return toFailure(cause, { ...shelf, requestId, name: operation.name, log });
  }
}

type ReadResult<T> = { ok: true; value: T } | Failed;

/** `readShelf` bound to the served shelf. */
export type ReadShelf = <T>(
  subject: Subject,
  read: (shelf: StoredShelf) => T | Promise<T>,
) => Promise<ReadResult<T>>;

/**
 * The only path from a door to resources, prompts and completions: checks the scope, then reads. Free of
 * charge. Never throws.
 */
export async function readShelf<T>(
  subject: Subject,
  read: (shelf: StoredShelf) => T | Promise<T>,
  { open, log, requestId = crypto.randomUUID() }: Pick<Caller, 'open' | 'log' | 'requestId'>,
): Promise<ReadResult<T>> {
  let shelf: OpenShelf | undefined;
  try {
    shelf = await open();
    const { account, context } = shelf;
    requireScope(subject, account);
    const { db, now, policy, isOffline = false } = context;
    const { scopes } = account;
    const content = { db, now, policy, isOffline, ...(scopes === undefined ? {} : { scopes }) };
    return { ok: true, value: await read(content) };
  } catch (cause) {
    return toFailure(cause, { ...shelf, requestId, name: subject.name, log });
  }
}

/** What is called or read: its name, for messages, and the area whose scope it needs, if any. */
interface Subject {
  name: string;
  area: Area | null;
}

/** Throws `forbidden` if the account lacks the area. */
function requireScope(subject: Subject, { name, scopes }: Account): void {
  if (subject.area === null || scopes === undefined || scopes.includes(subject.area)) return;
  throw new ServiceError(
    'forbidden',
    `${subject.name} needs the scope "${subject.area}", which the key "${name}" lacks. ` +
      'Scopes are set when a key is created: `quantshelf keys create NAME --scopes …`.',
  );
}

/** Turns anything thrown into an error envelope; logs the cause, if any, under the request id. */
export function toFailure(
  cause: unknown,
  call: {
    requestId: string;
    /** The task that failed, for the log. */
    name: string;
    account?: Account | undefined;
    home?: string | undefined;
    log(line: string): void;
  },
): Failed {
  const error = toServiceError(cause, call.home);
  const reason = error === cause ? error.cause : cause;
  if (reason !== undefined) {
    call.log(`${call.requestId} ${call.name}: ${describeError(reason)}`);
  }
  const { code, message, param } = error;
  const { requestId, account } = call;
  const body = { code, message, ...(param === undefined ? {} : { param }), requestId };
  return { ok: false, status: ERROR_STATUS[code], envelope: wrapFailure(body, account) };
}

function wrapFailure(error: Failure['error'], account: Account | undefined): Failure {
  const remainingCredits = balanceOf(account);
  return {
    error,
    ...(remainingCredits === undefined ? {} : { meta: { creditsUsed: 0, remainingCredits } }),
  };
}

function insufficientCredits(operation: Operation, account: Account): ServiceError {
  return new ServiceError(
    'insufficient_credits',
    `${operation.name} costs ${countOf(operation.price, 'credit')}, but the account "${account.name}" has ${account.balance()}. ` +
      `Grant more with \`quantshelf keys grant ${account.name} 10000\`; free calls still work.`,
  );
}

function toServiceError(cause: unknown, home: string | undefined): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const fault = storeFaultOf(cause, home);
  // Apart from a full disk, only SQLite's errors are the store's: a missing file may be a bug.
  if (fault === 'full' || (fault !== null && codeOf(cause).startsWith('SQLITE_'))) {
    return serviceUnavailable(REMEDIES[fault]);
  }
  return new ServiceError('internal_error', INTERNAL_ERROR_MESSAGE);
}

function balanceOf(account: Account | undefined): number | undefined {
  try {
    return account?.balance();
  } catch {
    // The store that failed the call may fail this read as well.
    return undefined;
  }
}
