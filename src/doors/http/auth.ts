import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import type { Account, Quota } from '../../core/context.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { requireScope } from '../../core/run.ts';
import { accountOf, type Env, type RequestContext } from './request.ts';

/** Counts one call of an account. */
export type TakeCall = (account: string) => Quota | Promise<Quota>;

/** Finds the account of the key in the Authorization header; throws `unauthorized`. */
export function requireKey(
  findAccount: (key: string) => Promise<Account | undefined>,
): MiddlewareHandler<Env> {
  return bearerAuth<Env>({
    async verifyToken(key, c) {
      const account = await findAccount(key);
      if (account === undefined) return false;
      c.var.request.account = account;
      return true;
    },
    noAuthenticationHeader: { message: () => refuse(NO_KEY) },
    invalidAuthenticationHeader: { message: () => refuse(MALFORMED) },
    invalidToken: { message: () => refuse(UNKNOWN_KEY) },
  });
}

const NO_KEY =
  'A key is needed: send the header "Authorization: Bearer <key>". `quantshelf keys create NAME` makes one.';
const MALFORMED = 'The header must read "Authorization: Bearer <key>", with one key.';
const UNKNOWN_KEY =
  'This key is unknown or was revoked. `quantshelf keys list` shows those there are.';

/** Hono would answer in its own words; an error thrown here reaches our error handler instead. */
function refuse(message: string): never {
  throw new ServiceError('unauthorized', message);
}

/** Counts the call against the rate limit of its key; throws `rate_limited`. */
export function limitRate(takeCall: TakeCall): MiddlewareHandler<Env> {
  return async (c, next) => {
    await countCall(c.var.request, takeCall);
    await next();
  };
}

/** Counts one call; throws `rate_limited` if it was one too many. */
export async function countCall(request: RequestContext, takeCall: TakeCall): Promise<void> {
  const { name } = accountOf(request);
  request.quota = await takeCall(name);
  if (!request.quota.isSpent) return;
  const { limit, resetSeconds } = request.quota;
  throw new ServiceError(
    'rate_limited',
    `The key "${name}" may make ${limit} calls a minute. Call again in ${resetSeconds} s.`,
  );
}

/** Throws `forbidden` unless the key has the scope of the operation's area. */
export function requireArea(operation: Operation): MiddlewareHandler<Env> {
  return async (c, next) => {
    requireScope(operation, accountOf(c.var.request));
    await next();
  };
}
