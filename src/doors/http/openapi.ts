import openApiFile from '../../../data/openapi.json' with { type: 'json' };
import { failure, success } from '../../core/envelope.ts';
import {
  ERROR_CODES,
  ERROR_STATUS,
  type ErrorCode,
  INTERNAL_ERROR_MESSAGE,
} from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { describeTool } from '../published.ts';
import { answerSchema, inputSchema } from '../schemas.ts';

/** Any piece of an OpenAPI document. */
type Json = Record<string, unknown>;

function refTo(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

const REQUEST_ID = '2f1c1f5e-8d3f-4b5e-9f0a-6c1f0d7a2b94';

const { meta } = success.shape;
/** What the envelopes of all operations share. */
const ENVELOPE_SCHEMAS = {
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
const ANSWER_HEADERS = [
  ...COMMON_HEADERS,
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
];
const ERROR_HEADERS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  rate_limited: 'Retry-After',
};

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** The name of a component: RateLimited for rate_limited. */
function pascalCase(name: string): string {
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
function errorRefs(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [String(ERROR_STATUS[code]), refTo('responses', pascalCase(code))]),
  );
}

const RESPONSES: Json = Object.fromEntries(
  ERROR_CODES.map((code) => [pascalCase(code), errorResponse(code)]),
);

/**
 * The table as an OpenAPI 3.1 document, served as /openapi.json, with the few routes that are not
 * operations.
 */
export function openApiDocument(table: readonly Operation[], { version }: { version: string }) {
  const { document } = openApiFile;
  return {
    ...document,
    info: { ...document.info, version },
    paths: {
      ...Object.fromEntries(table.map((each) => [each.path, describeRoute(each)])),
      ...document.paths,
    },
    components: {
      ...document.components,
      schemas: { ...Object.assign({}, ...table.map(schemasOf)), ...ENVELOPE_SCHEMAS },
      responses: RESPONSES,
    },
  };
}

function describeRoute(operation: Operation): Json {
  const { name, title, area, price, method } = operation;
  return {
    [method.toLowerCase()]: {
      operationId: name,
      summary: title,
      description: describeTool(operation),
      tags: [area],
      'x-credits': price,
      ...(method === 'GET' ? { parameters: parametersOf(operation) } : bodyOf(operation)),
      responses: {
        '200': {
          description: 'The answer.',
          headers: headerRefs(ANSWER_HEADERS),
          content: {
            'application/json': { schema: refTo('schemas', `${pascalCase(name)}Answer`) },
          },
        },
        ...errorRefs(ERROR_CODES.filter((code) => canMeet(operation, code))),
      },
    },
  };
}

/** A GET has no body, and a free call needs no credits. */
function canMeet({ method, price }: Operation, code: ErrorCode): boolean {
  if (code === 'insufficient_credits') return price > 0;
  return method === 'POST' || !['payload_too_large', 'unsupported_media_type'].includes(code);
}

/** Each argument of a GET: in the path if that names it, otherwise in the query. */
function parametersOf(operation: Operation): Json[] {
  const { properties, required } = inputSchema(operation);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const example: Json = operation.example;
  return Object.entries(properties ?? {}).map(([name, argument]) => {
    const { description, ...schema }: Json = { ...argument };
    return {
      name,
      in: operation.path.includes(`{${name}}`) ? 'path' : 'query',
      ...(needed.includes(name) ? { required: true } : {}),
      description,
      schema,
      ...(name in example ? { example: example[name] } : {}),
    };
  });
}

function bodyOf({ name, example }: Operation): Json {
  const schema = refTo('schemas', `${pascalCase(name)}Arguments`);
  return { requestBody: { required: true, content: { 'application/json': { schema, example } } } };
}

/**
 * The arguments in a body without the keyword `default`, which would make generated types require them;
 * the descriptions tell the defaults.
 */
function bodySchema(operation: Operation): Json {
  const { properties, ...schema } = inputSchema(operation);
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const { default: _, ...rest }: Json = { ...field };
    return [name, rest];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

function schemasOf(operation: Operation): Json {
  const name = pascalCase(operation.name);
  const properties = {
    data: answerSchema(operation.output),
    meta: refTo('schemas', metaOf(operation)),
  };
  return {
    ...(operation.method === 'POST' ? { [`${name}Arguments`]: bodySchema(operation) } : {}),
    [`${name}Answer`]: { type: 'object', properties, required: Object.keys(properties) },
  };
}

/** Only ranked papers have `matches`. */
function metaOf({ ranks, area }: Operation): keyof typeof ENVELOPE_SCHEMAS {
  if (ranks !== true) return 'Meta';
  return area === 'papers' ? 'PaperSearchMeta' : 'RankedMeta';
}
