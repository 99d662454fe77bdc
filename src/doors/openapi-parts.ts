import { ERROR_STATUS, type ErrorCode } from '../core/errors.ts';
import type { CardMatch, Verdict } from '../core/operation.ts';
import type { Failure, Success } from '../core/run.ts';

/** Any piece of an OpenAPI document. */
export type Json = Record<string, unknown>;

export function refTo(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

const REQUEST_ID = '2f1c1f5e-8d3f-4b5e-9f0a-6c1f0d7a2b94';
const VERDICTS: readonly Verdict[] = ['strong', 'weak', 'none'];

type Meta = Success['meta'];
// `satisfies` holds each list of fields to the type that `run` answers with, in both directions.
const META = {
  creditsUsed: { type: 'integer', minimum: 0, description: 'Credits that this call cost.' },
  remainingCredits: { type: 'integer', description: 'Credits left after it.' },
  requestId: {
    type: 'string',
    format: 'uuid',
    description: 'Also in the header X-Request-Id and in the ledger.',
  },
  asOf: {
    type: 'string',
    format: 'date-time',
    description: 'When the data behind the answer was last refreshed.',
  },
  notice: { type: 'string', description: 'Present when the caller should know something.' },
} satisfies Record<Exclude<keyof Meta, 'verdict' | 'matches'>, Json>;
const VERDICT = {
  verdict: { enum: VERDICTS, description: 'How well the best answer fits the query.' },
} satisfies Record<keyof Pick<Meta, 'verdict'>, Json>;

const SCORE = { type: 'number', minimum: 0, maximum: 1, description: 'Higher is closer.' };
const SECTION_MATCH = {
  section_key: { type: 'string', description: 'What paper_read takes.' },
  score: SCORE,
} satisfies Record<keyof CardMatch['sections'][number], Json>;
const MATCH = {
  paperCardId: { type: 'string', description: 'Of a card in `data`.' },
  score: SCORE,
  sections: {
    type: 'array',
    description: 'The sections that answer best.',
    items: closedList(SECTION_MATCH),
  },
} satisfies Record<keyof CardMatch, Json>;
const MATCHES = {
  matches: { type: 'array', description: 'One for each card.', items: closedList(MATCH) },
} satisfies Record<keyof Pick<Meta, 'matches'>, Json>;

const ERROR = {
  code: { enum: Object.keys(ERROR_STATUS), description: 'What kind of error it is.' },
  message: { type: 'string', description: 'What is wrong, and which call mends it.' },
  param: { type: 'string', description: 'The argument that is to blame, where there is one.' },
  requestId: META.requestId,
} satisfies Record<keyof Failure['error'], Json>;
const ERROR_META = {
  creditsUsed: { const: 0, description: 'A failed call costs nothing.' },
  remainingCredits: META.remainingCredits,
} satisfies Record<keyof NonNullable<Failure['meta']>, Json>;

/** An object that always has every one of its fields. */
function closedList(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function metaSchema(...more: readonly Json[]): Json {
  const { notice: _, ...always } = META;
  const properties = Object.assign({}, META, ...more);
  const required = [...Object.keys(always), ...more.flatMap((each) => Object.keys(each))];
  return { type: 'object', properties, required };
}

/** What the envelopes of all operations share. */
export const ENVELOPE_SCHEMAS = {
  Meta: metaSchema(),
  RankedMeta: metaSchema(VERDICT),
  PaperSearchMeta: metaSchema(VERDICT, MATCHES),
  Error: {
    type: 'object',
    properties: {
      error: { type: 'object', properties: ERROR, required: ['code', 'message', 'requestId'] },
      meta: { ...closedList(ERROR_META), description: 'Present when the key is known.' },
    },
    required: ['error'],
  },
} as const satisfies Record<string, Json>;

/** When each error is met, with the words of one. */
const ERRORS: Readonly<Record<ErrorCode, { when: string; message: string; param?: string }>> = {
  invalid_request: {
    when: 'The body is no JSON object, or an argument is missing, unknown, of the wrong type or out of its range.',
    message: '"limit" must be a whole number from 1 to 100.',
    param: 'limit',
  },
  unauthorized: {
    when: 'The key is missing, malformed, unknown or revoked.',
    message: 'This key is unknown or was revoked. `quantshelf keys list` shows those there are.',
  },
  insufficient_credits: {
    when: 'The balance is below the price of the call. Calls that cost 0 still work.',
    message:
      'The operation costs 1 and the account "notebook" holds 0. Grant more with `quantshelf keys grant notebook 10000`.',
  },
  forbidden: {
    when: 'The Host or the Origin is not this server (then without `meta`), or the key lacks the scope of this area.',
    message: 'The operation needs the scope "macro", which the key "notebook" lacks.',
  },
  not_found: {
    when: 'Nothing has this address, or no paper, series or event has this name.',
    message: 'No event has this event_card_id.',
    param: 'event_card_id',
  },
  method_not_allowed: {
    when: 'The address takes another method.',
    message: 'This address takes GET, HEAD.',
  },
  payload_too_large: {
    when: 'The body is longer than 64 KiB.',
    message: 'The body must stay under 64 KiB.',
  },
  unsupported_media_type: {
    when: 'The body is not plain JSON in UTF-8.',
    message: 'The body must be JSON in UTF-8: send the header "Content-Type: application/json".',
  },
  rate_limited: {
    when: 'The key has made its calls of this minute.',
    message: 'The key "notebook" may make 120 calls a minute. Call again in 17 s.',
  },
  internal_error: {
    when: 'A bug. Its cause is in the log of the server under the requestId.',
    message: 'Something went wrong inside QuantShelf. Nothing was charged.',
  },
  service_unavailable: {
    when: 'The area holds no data, the shelf cannot be read just now, or the server is shutting down.',
    message: 'The server is shutting down. Call again when it is back.',
  },
};
/** Known only after the key was: errors before it carry neither `meta` nor a count of calls. */
const BEFORE_THE_KEY: readonly ErrorCode[] = [
  'unauthorized',
  'method_not_allowed',
  'internal_error',
  'service_unavailable',
];

const integer = { type: 'integer', minimum: 0 };
const HEADERS: Readonly<Record<string, { description: string; schema: Json }>> = {
  'X-Request-Id': { description: 'The requestId of the answer.', schema: META.requestId },
  'X-API-Version': { description: 'Version of this interface.', schema: { const: '1' } },
  'RateLimit-Limit': { description: 'Calls a minute that the key may make.', schema: integer },
  'RateLimit-Remaining': { description: 'Calls left in this minute.', schema: integer },
  'RateLimit-Reset': { description: 'Seconds until it ends.', schema: integer },
  'Retry-After': { description: 'Seconds to wait.', schema: integer },
  'WWW-Authenticate': { description: 'How to identify.', schema: { const: 'Bearer' } },
  Allow: { description: 'The methods that it takes.', schema: { type: 'string' } },
};
export const COMMON_HEADERS = ['X-Request-Id', 'X-API-Version'];
export const QUOTA_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const ERROR_HEADERS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  rate_limited: 'Retry-After',
};

export function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** The names of the components: RateLimited of rate_limited. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function errorResponse(code: ErrorCode): Json {
  const { when, ...words } = ERRORS[code];
  const early = BEFORE_THE_KEY.includes(code);
  const own = ERROR_HEADERS[code];
  const headers = [...COMMON_HEADERS, ...(early ? [] : QUOTA_HEADERS), ...(own ? [own] : [])];
  const error = { code, ...words, requestId: REQUEST_ID };
  const meta = { creditsUsed: 0, remainingCredits: code === 'insufficient_credits' ? 0 : 9_999 };
  return {
    description: `\`${code}\`: ${when}`,
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        example: early ? { error } : { error, meta },
      },
    },
  };
}

/** References to the responses of some errors, by their status. */
export function errorRefs(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [String(ERROR_STATUS[code]), refTo('responses', pascalCase(code))]),
  );
}

/** Every code of the service, in the order of the table. */
export const ERROR_CODES = Object.keys(ERRORS).filter((code): code is ErrorCode =>
  Object.hasOwn(ERROR_STATUS, code),
);

export const COMPONENTS: Json = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A key, made with `quantshelf keys create NAME`.',
    },
  },
  headers: HEADERS,
  responses: Object.fromEntries(ERROR_CODES.map((code) => [pascalCase(code), errorResponse(code)])),
};
