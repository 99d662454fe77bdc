import * as z from 'zod';
import { AREA_TITLES } from '../../core/area.ts';
import { failure } from '../../core/envelope.ts';
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { describeTool, metaOf, toJsonSchema } from '../published.ts';

/** Any part of an OpenAPI document. */
type Json = Record<string, unknown>;

const WHEN: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'The body is not a JSON object, or an argument is missing, unknown, of the wrong type or out of range.',
  unauthorized: 'The key is missing, malformed, unknown or revoked.',
  insufficient_credits: 'The balance is below the price. Free calls still work.',
  forbidden:
    'The Host, Origin or proxy is not accepted (the reply then lacks `meta`), or the key lacks the scope.',
  not_found: 'There is no such address, paper, indicator, series or event.',
  method_not_allowed: 'The address does not support this method.',
  payload_too_large: 'The body is longer than 64 KiB.',
  unsupported_media_type: 'The Content-Type of the body is not application/json.',
  rate_limited: 'The key has used up its calls for this minute.',
  internal_error: 'A bug. Its cause is in the server log under the requestId.',
  service_unavailable:
    'The data is not stored, the shelf cannot be read, or the server is busy or shutting down.',
};

const RESPONSE_HEADERS = {
  'X-Request-Id': header('The requestId of the reply.', { type: 'string', format: 'uuid' }),
  'X-API-Version': header('Version of this interface.', { const: '1' }),
  'RateLimit-Limit': count('Calls that the key may make per minute.'),
  'RateLimit-Remaining': count('Calls left in the current minute.'),
  'RateLimit-Reset': count('Seconds until the current minute ends.'),
};
const ERROR_HEADERS = {
  ...RESPONSE_HEADERS,
  'Retry-After': count('Seconds to wait before the next call.'),
  'WWW-Authenticate': header('The authentication scheme.', { const: 'Bearer' }),
  Allow: header('The methods that this path supports.', { type: 'string' }),
};

const DESCRIPTION = `Read-only access to one shelf of quantitative-finance papers, U.S. macro indicators \
and finance prediction markets. In each area discover first, then read the chosen item by its id. Every \
reply is \`{data, meta}\` or \`{error, meta}\`; a failed call costs nothing. GET addresses also accept HEAD, \
at the same price. Unknown arguments are errors; enumerated values match in any case. The same operations \
are MCP tools of the same names at /mcp. GET /health, without a key, reports whether the server is up.`;

/** The table as an OpenAPI 3.1 document, served as /openapi.json. */
export function openApiDocument(table: readonly Operation[], { version }: { version: string }) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'QuantShelf',
      summary: 'Papers, macro indicators and prediction markets for quantitative research.',
      description: DESCRIPTION,
      contact: { name: 'QuantShelf contributors' },
      license: { name: 'MIT', identifier: 'MIT' },
      version,
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    security: [{ bearer: [] }],
    tags: Object.entries(AREA_TITLES).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(table.map((each) => [each.path, describeRoute(each)])),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A key from `quantshelf keys create NAME`, sent as a header. There is no OAuth.',
        },
      },
      headers: ERROR_HEADERS,
      schemas: Object.assign({ Error: toJsonSchema(failure, 'output') }, ...table.map(schemasOf)),
      responses: {
        Error: {
          description: [
            'Every error has this shape; `meta` is absent until the key is identified.',
            ...ERROR_CODES.map((code) => `- ${ERROR_STATUS[code]} \`${code}\`: ${WHEN[code]}`),
          ].join('\n'),
          headers: headerRefs(ERROR_HEADERS),
          content: jsonContent({ schema: refTo('schemas', 'Error') }),
        },
      },
    },
  };
}

function describeRoute(operation: Operation): Json {
  const { name, title, area, price, method, example } = operation;
  const schema = refTo('schemas', `${pascalCase(name)}Arguments`);
  const requestBody = { required: true, content: jsonContent({ schema, example }) };
  return {
    [method.toLowerCase()]: {
      operationId: name,
      summary: title,
      description: describeTool(operation),
      tags: [area],
      'x-credits': price,
      ...(method === 'GET' ? { parameters: parametersOf(operation) } : { requestBody }),
      responses: {
        '200': {
          description: 'The reply.',
          headers: headerRefs(RESPONSE_HEADERS),
          content: jsonContent({ schema: refTo('schemas', `${pascalCase(name)}Reply`) }),
        },
        '4XX': refTo('responses', 'Error'),
        '5XX': refTo('responses', 'Error'),
      },
    },
  };
}

/** A GET route's parameters: in the path if it names them, otherwise in the query. */
function parametersOf({ input, path, example }: Operation): Json[] {
  const examples: Json = example;
  return Object.entries(input.shape).map(([name, field]) => {
    const { description, ...schema } = toJsonSchema(field, 'input');
    return {
      name,
      in: path.includes(`{${name}}`) ? 'path' : 'query',
      ...(field.safeParse(undefined).success ? {} : { required: true }),
      description,
      schema,
      ...(name in examples ? { example: examples[name] } : {}),
    };
  });
}

/** The schemas of an operation's reply and, for a POST, of its body. */
function schemasOf(operation: Operation): Json {
  const name = pascalCase(operation.name);
  const reply = z.object({ data: operation.output, meta: restMetaOf(operation) });
  const schemas = { [`${name}Reply`]: toJsonSchema(reply, 'output') };
  if (operation.method === 'GET') return schemas;
  // `default` would make generated types require the argument; the description states it instead.
  const body = toJsonSchema(operation.input, 'input', (json) => delete json.default);
  return { ...schemas, [`${name}Arguments`]: body };
}

/** Schema of `meta` in REST replies. They are never thinned, and ranked ones always have a verdict. */
function restMetaOf(operation: Operation): z.ZodObject {
  const meta = metaOf({ ...operation, thins: false });
  return operation.ranks === true ? meta.required({ verdict: true }) : meta;
}

function refTo(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function headerRefs(headers: Json): Json {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, refTo('headers', name)]));
}

function header(description: string, schema: Json): Json {
  return { description, schema };
}

function count(description: string): Json {
  return header(description, { type: 'integer', minimum: 0 });
}

function jsonContent(media: Json): Json {
  return { 'application/json': media };
}

/** PaperSearch for paper_search. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
