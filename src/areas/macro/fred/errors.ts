import { RejectedRequestError } from '../../../upstream/errors.ts';

type FredErrorCode = 'bad_key' | 'no_series' | 'too_many_vintages' | 'locked' | 'bad_request';

const WORDS: Readonly<Record<FredErrorCode, string>> = {
  bad_key: 'FRED rejected the key: check FRED_API_KEY.',
  no_series: 'FRED has no series with this id.',
  too_many_vintages: 'FRED refused a request for too many vintages.',
  locked: 'FRED has locked this key or this address; its help desk can unlock it.',
  bad_request: 'FRED rejected the request.',
};

export class FredRequestError extends RejectedRequestError {
  override readonly name = 'FredRequestError';
  readonly code: FredErrorCode;

  constructor(code: FredErrorCode, message: string = WORDS[code]) {
    super(message);
    this.code = code;
  }
}

/** Patterns in FRED's `error_message`, in order of precedence. */
const KNOWN: readonly (readonly [RegExp, FredErrorCode])[] = [
  [/\bapi_key\b/i, 'bad_key'],
  [/\bseries does not exist/i, 'no_series'],
  [/\bmaximum number of vintage dates\b/i, 'too_many_vintages'],
];

/** The error that a status 400 stands for. */
export function requestErrorOf(message: string): FredRequestError {
  return new FredRequestError(
    KNOWN.find(([pattern]) => pattern.test(message))?.[1] ?? 'bad_request',
  );
}

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
