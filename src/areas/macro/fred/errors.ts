export type FredRefusalCode =
  | 'bad_key'
  | 'no_series'
  | 'too_many_vintages'
  | 'locked'
  | 'bad_request';

const WORDS: Readonly<Record<FredRefusalCode, string>> = {
  bad_key: 'FRED does not take the key: check FRED_API_KEY.',
  no_series: 'FRED has no series of this id.',
  too_many_vintages: 'FRED does not give so many vintages at once.',
  locked: 'FRED has locked this key or this address; its help desk can lift that.',
  bad_request: 'FRED does not take the question.',
};

/**
 * FRED understood the request and declines it; the same request will bring the same answer.
 * The message is ours: without a word of FRED's, without the key.
 */
export class FredRefusal extends Error {
  override readonly name = 'FredRefusal';
  readonly code: FredRefusalCode;

  constructor(code: FredRefusalCode, message: string = WORDS[code]) {
    super(message);
    this.code = code;
  }
}

/** What FRED writes into `error_message`, in the order in which it is looked for. */
const KNOWN: readonly (readonly [RegExp, FredRefusalCode])[] = [
  [/\bapi_key\b/i, 'bad_key'],
  [/\bseries does not exist/i, 'no_series'],
  [/\bmaximum number of vintage dates\b/i, 'too_many_vintages'],
];

/** The meaning of a reply with status 400. */
export function refusalOf(message: string): FredRefusal {
  return new FredRefusal(KNOWN.find(([pattern]) => pattern.test(message))?.[1] ?? 'bad_request');
}
