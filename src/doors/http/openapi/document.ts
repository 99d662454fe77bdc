import openApiFile from '../../../../data/openapi.json' with { type: 'json' };
import { ERROR_CODES, type ErrorCode } from '../../../core/errors.ts';
import type { Operation } from '../../../core/operation.ts';
import { describeTool } from '../../published.ts';
import { answerSchema, inputSchema } from '../../schemas.ts';
import {
  ANSWER_HEADERS,
  ENVELOPE_SCHEMAS,
  errorRefs,
  headerRefs,
  type Json,
  pascalCase,
  RESPONSES,
  refTo,
} from './components.ts';

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
