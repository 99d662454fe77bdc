import openApiFile from '../../../data/openapi.json' with { type: 'json' };
import { failure, success } from '../../core/envelope.ts';
import { ERROR_CODES, ERROR_STATUS } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { describeTool } from '../published.ts';
import { answerSchema, inputSchema } from '../schemas.ts';

/** Any piece of an OpenAPI document. */
type Json = Record<string, unknown>;

const { meta } = success.shape;
/** What the envelopes of all operations share. */
const ENVELOPE_SCHEMAS = {
  Meta: answerSchema(meta.omit({ verdict: true, understood: true, matches: true })),
  RankedMeta: answerSchema(meta.omit({ matches: true }).required({ verdict: true })),
  PaperSearchMeta: answerSchema(meta.required({ verdict: true, matches: true })),
  Error: answerSchema(failure),
} as const satisfies Record<string, Json>;

/** Every error has one shape, and its headers depend on what went wrong. */
const ERROR_RESPONSE: Json = {
  description: [
    'Every error has this shape; `meta` is absent before the key is known.',
    ...ERROR_CODES.map(
      (code) => `- ${ERROR_STATUS[code]} \`${code}\`: ${openApiFile.errors[code]}`,
    ),
  ].join('\n'),
  headers: headerRefs(Object.keys(openApiFile.document.components.headers)),
  content: jsonContent({ schema: refTo('schemas', 'Error') }),
};
const ANSWER_HEADERS = headerRefs([
  ...['X-Request-Id', 'X-API-Version'],
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
]);

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
      responses: { Error: ERROR_RESPONSE },
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
          headers: ANSWER_HEADERS,
          content: jsonContent({ schema: refTo('schemas', `${pascalCase(name)}Answer`) }),
        },
        default: refTo('responses', 'Error'),
      },
    },
  };
}

/** Each argument of a GET: in the path if that names it, otherwise in the query. */
function parametersOf(operation: Operation): Json[] {
  const { properties, required } = inputSchema(operation);
  const requiredNames: readonly unknown[] = Array.isArray(required) ? required : [];
  const example: Json = operation.example;
  return Object.entries(properties ?? {}).map(([name, argument]) => {
    const { description, ...schema }: Json = { ...argument };
    return {
      name,
      in: operation.path.includes(`{${name}}`) ? 'path' : 'query',
      ...(requiredNames.includes(name) ? { required: true } : {}),
      description,
      schema,
      ...(name in example ? { example: example[name] } : {}),
    };
  });
}

function bodyOf({ name, example }: Operation): Json {
  const schema = refTo('schemas', `${pascalCase(name)}Arguments`);
  return { requestBody: { required: true, content: jsonContent({ schema, example }) } };
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

/** Only ranked papers have `matches`. */
function metaOf({ ranks, area }: Operation): keyof typeof ENVELOPE_SCHEMAS {
  if (ranks !== true) return 'Meta';
  return area === 'papers' ? 'PaperSearchMeta' : 'RankedMeta';
}

function refTo(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

function jsonContent(media: Json): Json {
  return { 'application/json': media };
}

/** The name of a component: PaperSearch for paper_search. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
