import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { failure, success } from '../core/envelope.ts';
import type { Operation } from '../core/operation.ts';
import type { Prompt, Resource } from '../core/resource.ts';
import { countOf } from '../core/text.ts';

/** The icon, at the same relative path in the source tree and in the build. */
const ICON = new URL('./views/icon.svg', import.meta.url);

/** Files of the built views, by what they draw; only papers need the formula library. */
export const VIEWS = {
  'histories and events': 'view.html',
  papers: 'papers.html',
} as const satisfies Record<NonNullable<Operation['view']>, string>;

export interface Table {
  operations: readonly Operation[];
  resources: readonly Resource[];
  prompts: readonly Prompt[];
}

/**
 * The table as clients see it. The build stores it as JSON, so that the program starts without loading an area.
 * `isListed` is true if a template's resources can be listed. A tool's `meta` is for hosts, not for models.
 */
export type Published = ReturnType<typeof publish>;
export type PublishedTool = Published['tools'][number];
export type PublishedResource = Published['resources'][number];
export type PublishedPrompt = Published['prompts'][number];

/** A table whose areas are loaded only when a call needs them. */
export interface LazyTable {
  published(): Published;
  /** Loads the areas. Rejects with a ServiceError. */
  load(): Promise<Table>;
}

/** The row with this name. Throws if the table lacks it, although it was published. */
export function findNamed<T extends { name: string }>(rows: readonly T[], name: string): T {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`"${name}" is published, but is not in the table`);
  return row;
}

export function asLoaded(table: Table): LazyTable {
  return { published: () => publish(table), load: async () => table };
}

export function publish({ operations, resources, prompts }: Table) {
  return {
    icon: readFileSync(ICON, 'base64'),
    tools: operations.map((operation) => ({
      name: operation.name,
      title: operation.title,
      description: describeTool(operation),
      input: inputSchema(operation),
      output: outputSchema(operation),
      fetches: operation.fetches === true,
      meta: hintsOf(operation),
    })),
    resources: resources.map(({ read: _, list, complete: __, ...described }) => ({
      ...described,
      isListed: list !== undefined,
    })),
    prompts: prompts.map(({ write: _, arguments: all, ...described }) => ({
      ...described,
      arguments: Object.entries(all).map(([name, { description, isRequired }]) => ({
        name,
        description,
        required: isRequired,
      })),
    })),
  };
}

/** An operation's description for agents, with its price. */
export function describeTool({ description, price }: Operation): string {
  const cost = price === 0 ? 'Free.' : `Costs ${countOf(price, 'credit')}.`;
  return `${description} ${cost}`;
}

export function viewUri(file: string): string {
  return `ui://quantshelf/${file}`;
}

function hintsOf(operation: Operation): Record<string, unknown> {
  const { longReply, searchHint, view } = operation;
  const uri = view && viewUri(VIEWS[view]);
  return {
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
    ...(longReply === undefined ? {} : { 'anthropic/maxResultSizeChars': longReply }),
    // The flat key is from early drafts of MCP Apps; some hosts still read it.
    ...(uri ? { ui: { resourceUri: uri }, 'ui/resourceUri': uri } : {}),
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A JSON Schema (2020-12) with an object at its root. */
type ObjectSchema = Record<string, unknown> & { type: 'object' };

/** Schema of an operation's arguments, closed because `run` rejects unknown ones. */
export function inputSchema(operation: Operation): ObjectSchema {
  return { ...toJsonSchema(operation.input, 'input'), type: 'object' };
}

/** Fields of `meta` that only ranked replies have. */
const RANKED = { verdict: true, holding: true, understood: true } as const;

export function metaOf({ ranks, meta, thins }: Operation) {
  const common = success.shape.meta.omit({
    ...(ranks !== true && RANKED),
    ...(thins !== true && { thinned: true as const }),
  });
  return common.extend(meta?.shape ?? {});
}

/**
 * Schema of an operation's envelope. Nothing is required at the root, because clients check successes and
 * errors against the same schema.
 */
export function outputSchema(operation: Operation): ObjectSchema {
  // Names and enumerated values suffice; descriptions would only fill an agent's context.
  const data = toJsonSchema(operation.output, 'output', (json) => {
    delete json.description;
    if (json.enum !== undefined) delete json.type;
  });
  return {
    type: 'object',
    properties: {
      data: splitTypes(data),
      meta: {
        ...outline(metaOf(operation)),
        // Only the fields that a failure's `meta` also has.
        required: Object.keys(failure.shape.meta.unwrap().shape),
      },
      // No enum of codes: clients cache schemas, and a later version may add codes.
      error: { type: 'object', required: outline(failure.shape.error).required },
    },
  };
}

/** Writes nullable fields with `anyOf`, because some clients allow only one type per field. */
function splitTypes(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, node) => {
    if (!Array.isArray(node?.type)) return node;
    const { type, ...rest } = node;
    return { ...rest, anyOf: type.map((each: unknown) => ({ type: each })) };
  });
}

/** Shallow schema of an object: its fields' names, types and enumerated values. */
function outline(object: z.ZodObject) {
  const { properties = {}, required = [] } = toJsonSchema(object, 'output');
  const fields = Object.entries(properties).map(([name, field]) => [name, outlineField(field)]);
  return { type: 'object', properties: Object.fromEntries(fields), required };
}

function outlineField(field: JsonSchema | boolean): Record<string, unknown> {
  if (typeof field === 'boolean') return {};
  const { type, enum: values, items, description } = field;
  if (values !== undefined) return { enum: values };
  if (type === 'array') {
    const isTyped = typeof items === 'object' && 'type' in items;
    return { type, items: isTyped ? { type: items.type } : {} };
  }
  if (type === 'object') return { type, description };
  return { type: type === 'integer' ? 'number' : type };
}

/** The JSON Schema of a zod schema: closed for arguments, open to later fields for replies. */
export function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  trim: (json: JsonSchema) => void = () => {},
): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      // zod publishes the bounds of safe integers, which are useless to callers.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // A later optional field must break no client that has cached the schema.
      if (io === 'output') delete jsonSchema.additionalProperties;
      else if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
      trim(jsonSchema);
    },
  });
  const { $schema: _, ...rest } = json;
  return rest;
}
