import openApiFile from '../../../../data/openapi.json' with { type: 'json' };
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

interface Occasion {
  when: string;
  /** An example. */
  message: string;
  param?: string;
}

const ERRORS: Readonly<Record<ErrorCode, Occasion>> = {
  ...openApiFile.errors,
  internal_error: { ...openApiFile.errors.internal_error, message: INTERNAL_ERROR_MESSAGE },
};

/** May occur before the key is known, so `meta` and the rate limit headers are not promised. */
const BEFORE_THE_KEY: readonly ErrorCode[] = [
  'unauthorized',
  'method_not_allowed',
  'internal_error',
  'service_unavailable',
];

const COMMON_HEADERS = ['X-Request-Id', 'X-API-Version'];
/** On the answers to those whose key is known. */
export const ANSWER_HEADERS = [
  ...COMMON_HEADERS,
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
];
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
  const early = BEFORE_THE_KEY.includes(code);
  const own = ERROR_HEADERS[code];
  const { when, message, param } = ERRORS[code];
  const error = { code, message, ...(param === undefined ? {} : { param }), requestId: REQUEST_ID };
  const meta = { creditsUsed: 0, remainingCredits: code === 'insufficient_credits' ? 0 : 9_999 };
  return {
    description: `\`${code}\`: ${when}`,
    headers: headerRefs([...(early ? COMMON_HEADERS : ANSWER_HEADERS), ...(own ? [own] : [])]),
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        example: { error, ...(early ? {} : { meta }) },
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

export const RESPONSES: Json = Object.fromEntries(
  ERROR_CODES.map((code) => [pascalCase(code), errorResponse(code)]),
);
