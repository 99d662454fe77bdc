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
import type { Operation, Reply } from './operation.ts';
import { MODEL_REPLY, WHOLE_REPLY } from './reply.ts';
import { countOf } from './text.ts';

export type Failed = { ok: false; status: ErrorStatus; envelope: Failure };

/** Nobody waits for this reply; the log records its status. */
export type Cancelled = { ok: false; status: typeof CANCELLED; envelope: Failure };

export type CallResult = { ok: true; status: 200; envelope: Success } | Failed | Cancelled;

/** The status that proxies log if the client left before the reply. */
export const CANCELLED = 499;
const CANCELLED_MESSAGE = 'The call was cancelled before its reply. Nothing was charged.';

/** The parts of a shelf that a call needs. */
export interface OpenShelf {
  context: Omit<Context, 'report' | 'replySize' | 'signal'>;
  account: Account;
  /** The store's directory; after an error, its disk is checked for free space. */
  home?: string | undefined;
}

/** What the door contributes to a call: the shelf, the payer, and where to report. */
export interface Caller {
  /** Opens the shelf on the first call; throws a ServiceError when it cannot. */
  open(): Promise<OpenShelf>;
  /** Logs the cause of an internal error; must not write to stdout. */
  log(line: string): void;
  requestId?: string;
  /** Receives progress messages of a long call. */
  report?: ((message: string) => void) | undefined;
  /** Whether a language model reads the reply, which hosts would cut. */
  isForModel?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export type CallOptions = Pick<Caller, 'report' | 'isForModel' | 'signal'>;

const NEVER_CANCELLED = new AbortController().signal;

/**
 * The only path from a door to a handler: checks the scope, parses and checks the input, checks the balance,
 * runs the handler, checks the output, charges, wraps. Never throws. A failed call costs nothing.
 *
 * A call counts as answered the moment its charge is committed, or would be if it is free. The signal is
 * checked in the same synchronous step, so there are exactly two cases: cancelled earlier, the call costs
 * nothing and its result is `Cancelled`; cancelled later, it is charged and its result is the reply, which
 * the door sends if the client is still there.
 */
export async function run(operation: Operation, raw: unknown, caller: Caller): Promise<CallResult> {
  const requestId = caller.requestId ?? crypto.randomUUID();
  const { signal = NEVER_CANCELLED } = caller;
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
    const { data, meta } = await replyOf(operation, input, context);
    const remainingCredits = await charge(operation, account, { requestId, signal });
    const costs = { creditsUsed: operation.price, remainingCredits };
    return { ok: true, status: 200, envelope: { meta: { ...costs, requestId, ...meta }, data } };
  } catch (cause) {
    // Nobody is left to read the error.
    if (signal.aborted) return toCancelled(requestId, shelf?.account);
    const { log } = caller;
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
    const { db, now, policy } = context;
    const { scopes } = account;
    const content = { db, now, policy, ...(scopes === undefined ? {} : { scopes }) };
    return { ok: true, value: await read(content) };
  } catch (cause) {
    return toFailure(cause, { ...shelf, requestId, name: subject.name, log });
  }
}

/** What is read or called: its name, for the log and refusals, and the area whose scope it needs. */
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

/** Turns anything thrown into a reply. Logs the cause of an internal error under the request id. */
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

function toCancelled(requestId: string, account: Account | undefined): Cancelled {
  const error = { code: 'invalid_request', message: CANCELLED_MESSAGE, requestId } as const;
  return { ok: false, status: CANCELLED, envelope: wrapFailure(error, account) };
}

function wrapFailure(error: Failure['error'], account: Account | undefined): Failure {
  const remainingCredits = balanceOf(account);
  return {
    error,
    ...(remainingCredits === undefined ? {} : { meta: { creditsUsed: 0, remainingCredits } }),
  };
}

async function charge(
  operation: Operation,
  account: Account,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<number> {
  signal.throwIfAborted();
  if (operation.price === 0) return account.balance();
  const entry = { operation: operation.name, credits: operation.price, requestId };
  const remaining = await account.charge(entry, signal);
  // A concurrent call spent the balance after our check; discard the reply.
  if (remaining === null) throw insufficientCredits(operation, account);
  return remaining;
}

/**
 * A validated copy of a reply; a separate function, so that the original can be freed before the charge.
 */
async function replyOf(
  operation: Operation,
  input: Record<string, unknown>,
  context: Context,
): Promise<Reply<unknown>> {
  const { data, meta } = await operation.handler(input, context);
  const result = operation.output.safeParse(data);
  if (!result.success) throw new Error(`reply breaks its own schema: ${result.error.message}`);
  return { data: result.data, meta };
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
  // Only errors of the store count: another missing file may be a bug.
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
