import { FredRequestError } from './errors.ts';

const KEY = /^[0-9a-z]{32}$/;

/**
 * Trims and checks a key: 32 lower-case letters or digits. Throws a FredRequestError that says what
 * is wrong without quoting the key.
 */
export function readFredKey(given: string): string {
  const key = given.trim();
  if (KEY.test(key)) return key;
  const hint = KEY.test(key.toLowerCase()) ? ' This one has upper-case letters.' : '';
  throw new FredRequestError(
    'bad_key',
    `FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits).${hint}`,
  );
}
