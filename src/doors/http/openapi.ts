import * as z from 'zod';
import openApiFile from '../../../data/openapi.json' with { type: 'json' };
import { failure, success } from '../../core/envelope.ts';
import { ERROR_CODES, ERROR_STATUS } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { answerSchema, describeTool, inputSchema } from '../published.ts';

/** Any piece of an OpenAPI document. */
type Json = Record<string, unknown>;

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
      schemas: Object.assign({ Error: answerSchema(failure) }, ...table.map(schemasOf)),
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

/** The arguments of a GET: in the path if that names it, otherwise in the query. */
function parametersOf(operation: Operation): Json[] {
  const { properties, required = [] } = argumentsOf(operation);
  const example: Json = operation.example;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: operation.path.includes(`{${name}}`) ? 'path' : 'query',
    ...(required.includes(name) ? { required: true } : {}),
    description,
    schema,
    ...(name in example ? { example: example[name] } : {}),
  }));
}

function bodyOf({ name, example }: Operation): Json {
  const schema = refTo('schemas', `${pascalCase(name)}Arguments`);
  return { requestBody: { required: true, content: jsonContent({ schema, example }) } };
}

const argumentSchema = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z.array(z.string()).optional(),
});

function argumentsOf(operation: Operation) {
  return argumentSchema.parse(inputSchema(operation));
}

/** An operation's answer, and for a POST its body. */
function schemasOf(operation: Operation): Json {
  const name = pascalCase(operation.name);
  const answer = z.object({ data: operation.output, meta: metaOf(operation) });
  const schemas = { [`${name}Answer`]: answerSchema(answer) };
  if (operation.method === 'GET') return schemas;
  const { properties, ...schema } = argumentsOf(operation);
  // The keyword `default` would make generated types require them; the descriptions tell the defaults.
  const fields = Object.entries(properties).map(([field, { default: _, ...rest }]) => [
    field,
    rest,
  ]);
  return {
    ...schemas,
    [`${name}Arguments`]: { ...schema, properties: Object.fromEntries(fields) },
  };
}

/** Only ranked answers have a verdict, and only ranked papers have `matches`. */
function metaOf({ ranks, area }: Operation): z.ZodObject {
  const { meta } = success.shape;
  if (ranks !== true) return meta.omit({ verdict: true, understood: true, matches: true });
  if (area !== 'papers') return meta.omit({ matches: true }).required({ verdict: true });
  return meta.required({ verdict: true, matches: true });
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
