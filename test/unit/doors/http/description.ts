import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod';

const json = z.record(z.string(), z.unknown());
const response = z.looseObject({
  headers: z.record(z.string(), z.object({ $ref: z.string() })).optional(),
  content: z
    .record(z.string(), z.object({ schema: json, example: z.unknown().optional() }))
    .optional(),
});
const route = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query']),
        required: z.boolean().optional(),
        schema: json,
        example: z.unknown().optional(),
      }),
    )
    .optional(),
  requestBody: z
    .object({
      required: z.literal(true),
      content: z.object({ 'application/json': z.object({ schema: json, example: z.unknown() }) }),
    })
    .optional(),
  responses: z.record(z.string(), z.union([z.strictObject({ $ref: z.string() }), response])),
});
const document = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), route)),
  components: z.object({
    schemas: z.record(z.string(), json),
    headers: z.record(z.string(), z.looseObject({ schema: json })),
    responses: z.record(z.string(), response),
    securitySchemes: json,
  }),
});
export type Route = z.output<typeof route>;
export type Described = z.output<typeof response>;

/** An OpenAPI document as tests read it. */
export class Description {
  readonly paths: Record<string, Record<string, Route>>;
  readonly components: z.output<typeof document>['components'];
  readonly #open: Ajv2020;
  readonly #closed: Ajv2020;

  constructor(raw: unknown) {
    const parsed = document.parse(raw);
    this.paths = parsed.paths;
    this.components = parsed.components;
    this.#open = compiler(raw);
    this.#closed = compiler(closeObjects(raw));
  }

  route(path: string, method: string): Route {
    const found = this.paths[path]?.[method.toLowerCase()];
    if (found === undefined) throw new Error(`${method} ${path} is not documented`);
    return found;
  }

  response(path: string, method: string, status: number): Described {
    const { responses } = this.route(path, method);
    const found = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`];
    if (found === undefined) throw new Error(`${status} is not documented of ${method} ${path}`);
    if (!('$ref' in found)) return found;
    const named = this.components.responses[String(found.$ref).split('/').at(-1) ?? ''];
    if (named === undefined) throw new Error(`${found.$ref} leads nowhere`);
    return named;
  }

  /** What of a value breaks a schema of the document; or, with 'closed', is not in it. */
  faults(schema: object, value: unknown, how: 'open' | 'closed' = 'open'): string[] {
    const ajv = how === 'open' ? this.#open : this.#closed;
    const own = how === 'open' ? schema : closeObjects(schema);
    const validate: ValidateFunction = ajv.compile(absolute(own));
    validate(value);
    return (validate.errors ?? []).map(describeFault);
  }

  /** Everything in which an answer and what the document says of it differ. */
  differences(path: string, method: string, { status, headers, body }: Answer): string[] {
    const said = this.response(path, method, status);
    const type = headers.get('content-type') ?? '';
    const schema = said.content?.[type.split(';')[0] ?? '']?.schema;
    const names = Object.keys(said.headers ?? {});
    return [
      ...(schema === undefined ? [`${type} is not documented`] : []),
      ...(schema === undefined ? [] : this.faults(schema, body)),
      ...(schema === undefined ? [] : this.faults(schema, body, 'closed')),
      ...names.flatMap((name) => {
        const value = headers.get(name);
        const { schema: documented } = this.components.headers[name] ?? {};
        // The headers of an error depend on what went wrong.
        if (value === null && status !== 200) return [];
        if (value === null || documented === undefined) return [`no header ${name}`];
        const typed = documented.type === 'integer' ? Number(value) : value;
        return this.faults(documented, typed).map((fault) => `${name}${fault}`);
      }),
    ];
  }
}

/** What came over HTTP, its body already read. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

const BASE = 'https://document.test/openapi.json';

function compiler(raw: unknown): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(json.parse(raw), BASE);
  return ajv;
}

/** References that stand in a schema taken out of the document point into it. */
function absolute(schema: unknown): object {
  return json.parse(
    JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#') ? BASE + value : value,
    ),
  );
}

/** The same with every object closed, so that a field which it does not list is a fault. */
function closeObjects(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    const { success, data } = z
      .looseObject({ type: z.literal('object'), properties: json })
      .safeParse(each);
    return success ? { ...data, additionalProperties: false } : each;
  });
}

function describeFault({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}
