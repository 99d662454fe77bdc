import type { Account } from '../core/context.ts';
import { ServiceError } from '../core/errors.ts';

/** No header with one key in it is longer. */
const MAX_KEY_HEADER = 200;

/** The account whose key stands in an Authorization header; throws `unauthorized`. */
export function identify(
  header: string | null,
  findAccount: (key: string) => Account | undefined,
): Account {
  if (header === null) {
    throw new ServiceError(
      'unauthorized',
      'A key is needed: send the header "Authorization: Bearer <key>". `quantshelf keys create NAME` makes one.',
    );
  }
  const key = header.length > MAX_KEY_HEADER ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (key === undefined) {
    throw new ServiceError(
      'unauthorized',
      'The header must read "Authorization: Bearer <key>", with one key.',
    );
  }
  const account = findAccount(key);
  if (account !== undefined) return account;
  throw new ServiceError(
    'unauthorized',
    'This key is unknown or was revoked. `quantshelf keys list` shows those there are.',
  );
}
