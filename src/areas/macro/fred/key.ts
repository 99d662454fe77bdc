import { FredRefusal } from './errors.ts';

const KEY = /^[0-9a-z]{32}$/;

/**
 * The key as FRED takes it: 32 lower-case letters and digits, without the blanks and line ends that
 * come along when one is copied. Throws a FredRefusal that says what is wrong, never the key.
 */
export function readFredKey(given: string): string {
  const key = given.trim();
  if (KEY.test(key)) return key;
  const hint = KEY.test(key.toLowerCase()) ? ' This one has capitals.' : '';
  throw new FredRefusal(
    'bad_key',
    `FRED_API_KEY is no FRED key: it has to be 32 lower-case letters and digits.${hint}`,
  );
}
