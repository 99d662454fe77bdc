import { failure, success } from '../../../core/envelope.ts';
import {
  ERROR_CODES,
  ERROR_STATUS,
  type ErrorCode,
  INTERNAL_ERROR_MESSAGE,
} from '../../../core/errors.ts';
import { answerSchema } from '../../schemas.ts';

/** Any piece of an OpenAPI document. */
export type Json = Record<string, unknown>;

export function refTo(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

const REQUEST_ID = '2f1c1f5e-8d3f-4b5e-9f0a-6c1f0d7a2b94';

const { meta } = success.shape;
/** What the envelopes of all operations share. */
export const ENVELOPE_SCHEMAS = {
  Meta: answerSchema(meta.omit({ verdict: true, understood: true, matches: true })),
  RankedMeta: answerSchema(meta.omit({ matches: true }).required({ verdict: true })),
  PaperSearchMeta: answerSchema(meta.required({ verdict: true, matches: true })),
  Error: answerSchema(failure),
} as const satisfies Record<string, Json>;

/** When each error occurs, with an example of its message. */
const ERRORS: Readonly<Record<ErrorCode, { when: string; message: string; param?: string }>> = {
  invalid_request: {
    when: 'The body is not a JSON object, or an argument is missing, unknown, of the wrong type or out of range.',
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
    when: 'There is no such address, paper, series or event.',
    message: 'No event has this event_card_id.',
    param: 'event_card_id',
  },
  method_not_allowed: {
    when: 'The address does not take this method.',
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
    when: 'The key has used up its calls for this minute.',
    message: 'The key "notebook" may make 120 calls a minute. Call again in 17 s.',
  },
  internal_error: {
    when: 'A bug. Its cause is in the server log under the requestId.',
    message: INTERNAL_ERROR_MESSAGE,
  },
  service_unavailable: {
    when: 'The area holds no data, the shelf cannot be read right now, or the server is shutting down.',
    message: 'The server is shutting down. Call again when it is back.',
  },
};
/** Statuses of `invalid_request` beside 400: what is refused on the way to a route, or at /mcp. */
const REFUSALS = {
  406: {
    name: 'NotAcceptable',
    when: 'The client takes neither JSON nor a stream of events.',
    message:
      'The answer may be JSON or a stream: send the header "Accept: application/json, text/event-stream", or "*/*".',
  },
  408: {
    name: 'RequestTimeout',
    when: 'The request was not complete within 20 s. The connection ends.',
    message: 'The request was not complete in time.',
  },
  417: {
    name: 'ExpectationFailed',
    when: 'The client expects something else than "100-continue". The connection ends.',
    message: 'The only expectation that is met is "100-continue".',
  },
  431: {
    name: 'HeadersTooLarge',
    when: 'Request line and headers are longer than 16 KiB. The connection ends.',
    message: 'The headers must stay under 16 KiB.',
  },
} as const;
type Refusal = keyof typeof REFUSALS;
/** Those that any route may meet. */
export const EARLY_REFUSALS = [408, 417, 431] as const satisfies readonly Refusal[];

function refusalResponse({ when, message }: (typeof REFUSALS)[Refusal]): Json {
  const error = { code: 'invalid_request', message, requestId: REQUEST_ID };
  return {
    description: `\`invalid_request\`: ${when}`,
    headers: headerRefs(COMMON_HEADERS),
    content: {
      'application/json': { schema: refTo('schemas', 'Error'), example: { error } },
    },
  };
}

/** References to the responses of these refusals, by status. */
export function refusalRefs(statuses: readonly Refusal[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [String(status), refTo('responses', REFUSALS[status].name)]),
  );
}

/** May occur before the key is known, so `meta` and the rate limit headers are not promised. */
const BEFORE_THE_KEY: readonly ErrorCode[] = [
  'unauthorized',
  'method_not_allowed',
  'internal_error',
  'service_unavailable',
];

const integer = { type: 'integer', minimum: 0 };
const HEADERS: Readonly<Record<string, { description: string; schema: Json }>> = {
  'X-Request-Id': {
    description: 'The requestId of the answer.',
    schema: answerSchema(meta.shape.requestId),
  },
  'X-API-Version': { description: 'Version of this interface.', schema: { const: '1' } },
  'RateLimit-Limit': { description: 'Calls a minute that the key may make.', schema: integer },
  'RateLimit-Remaining': { description: 'Calls left in this minute.', schema: integer },
  'RateLimit-Reset': { description: 'Seconds until the minute ends.', schema: integer },
  'Retry-After': { description: 'Seconds to wait.', schema: integer },
  'WWW-Authenticate': { description: 'The authentication scheme.', schema: { const: 'Bearer' } },
  Allow: { description: 'The methods that the address takes.', schema: { type: 'string' } },
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

/** The name of a component: RateLimited for rate_limited. */
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

/** References to the responses of these errors, by status. */
export function errorRefs(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [String(ERROR_STATUS[code]), refTo('responses', pascalCase(code))]),
  );
}

export const COMPONENTS: Json = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A key, made with `quantshelf keys create NAME` and sent as a header. There is no OAuth.',
    },
  },
  headers: HEADERS,
  responses: {
    ...Object.fromEntries(ERROR_CODES.map((code) => [pascalCase(code), errorResponse(code)])),
    ...Object.fromEntries(
      Object.values(REFUSALS).map((refusal) => [refusal.name, refusalResponse(refusal)]),
    ),
  },
};
