import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Media {
  schema: object;
  example?: unknown;
}

interface Described {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
  description?: string;
}

interface Route {
  'x-credits': number;
  parameters?: { name: string; schema: object; example?: unknown }[];
  requestBody?: { content: { 'application/json': Media & { schema: { $ref: string } } } };
  responses: Record<string, Described | { $ref: string }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Route>>;
  components: {
    schemas: Record<string, object>;
    headers: Record<string, { schema: { type?: string } }>;
    responses: Record<string, Described>;
  };
}

/** The parts of an OpenAPI document that tests read. */
export class Description {
  readonly #paths: OpenApi['paths'];
  readonly components: OpenApi['components'];
  readonly #ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true });

  constructor(text: string) {
    const document: OpenApi = JSON.parse(text);
    this.#paths = document.paths;
    this.components = document.components;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(closeObjects(document), BASE);
  }

  route(path: string, method: string): Route {
    const match = this.#paths[path]?.[method.toLowerCase()];
    if (match === undefined) throw new Error(`${method} ${path} is not documented`);
    return match;
  }

  response(path: string, method: string, status: number): Described {
    const { responses } = this.route(path, method);
    const match = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`];
    if (match === undefined) throw new Error(`${status} is not documented for ${method} ${path}`);
    if (!('$ref' in match)) return match;
    const named = this.components.responses[String(match.$ref).split('/').at(-1) ?? ''];
    if (named === undefined) throw new Error(`${match.$ref} leads nowhere`);
    return named;
  }

  /** How a value violates a schema of the document, including by fields that are not in it. */
  faults(schema: object, value: unknown): string[] {
    const validate: ValidateFunction = this.#ajv.compile(absolute(closeObjects(schema)));
    validate(value);
    return (validate.errors ?? []).map(describeFault);
  }

  /** All differences between a response and its description in the document. */
  differences(path: string, method: string, { status, headers, body }: HttpResponse): string[] {
    const said = this.response(path, method, status);
    const type = headers.get('content-type') ?? '';
    const schema = said.content?.[type.split(';')[0] ?? '']?.schema;
    const names = Object.keys(said.headers ?? {});
    if (schema === undefined) return [`${type} is not documented`];
    return [
      ...this.faults(schema, body),
      ...names.flatMap((name) => {
        const value = headers.get(name);
        const { schema: documented } = this.components.headers[name] ?? {};
        // The headers of an error depend on the error.
        if (value === null && status !== 200) return [];
        if (value === null || documented === undefined) return [`no header ${name}`];
        const typed = documented.type === 'integer' ? Number(value) : value;
        return this.faults(documented, typed).map((fault) => `${name}${fault}`);
      }),
    ];
  }
}

/** A response over HTTP, its body already read. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  body: unknown;
}

const BASE = 'https://document.test/openapi.json';

/** References in an extracted schema point into the document. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#') ? BASE + value : value,
  );
}

/** The same with every object closed, so that an unlisted field is a fault. */
function closeObjects(value: object): object {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    each?.type === 'object' && each.properties ? { ...each, additionalProperties: false } : each,
  );
}

function describeFault({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}
