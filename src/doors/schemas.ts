import * as z from 'zod';
import { failure, success } from '../core/envelope.ts';
import type { Operation } from '../core/operation.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A JSON Schema (2020-12) with an object at its root. */
export type ObjectSchema = Record<string, unknown> & { type: 'object' };

/**
 * A schema that is published but accepts every value: only `run` validates, so that errors read
 * the same at every door.
 */
export function passThrough(schema: ObjectSchema) {
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'quantshelf',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

/** The arguments of an operation, closed: exactly what `run` accepts. */
export function inputSchema(operation: Operation): ObjectSchema {
  return { ...toJsonSchema(operation.input, 'input'), type: 'object' };
}

/**
 * The whole envelope of an operation's answers, as MCP publishes it. Nothing is required at the
 * root, because clients check error results against the same schema.
 */
export function outputSchema(operation: Operation): ObjectSchema {
  // Field names say enough to an agent; descriptions would only fill its context.
  const data = toJsonSchema(operation.output, 'output', (json) => delete json.description);
  const { meta } = success.shape;
  return {
    type: 'object',
    properties: {
      data,
      meta: {
        ...outline(
          operation.ranks === true
            ? meta
            : meta.omit({ verdict: true, understood: true, matches: true }),
        ),
        // What the `meta` of a failure has too.
        required: Object.keys(failure.shape.meta.unwrap().shape),
      },
      // An error tells its own fields. No enum of codes: a later version may add to those a client has cached.
      error: { type: 'object', required: outline(failure.shape.error).required },
    },
  };
}

/** A part of an answer with every field described, open to fields that a later version adds. */
export function answerSchema(schema: z.ZodType): Record<string, unknown> {
  return toJsonSchema(schema, 'output');
}

/** The fields of an object by name and plain type, one level deep. */
function outline(object: z.ZodObject) {
  const { properties = {}, required = [] } = toJsonSchema(object, 'output');
  const fields = Object.entries(properties).map(([name, field]) => [name, outlineField(field)]);
  return { type: 'object', properties: Object.fromEntries(fields), required };
}

function outlineField(field: JsonSchema | boolean): Record<string, unknown> {
  if (typeof field === 'boolean') return {};
  const { type, enum: values, items } = field;
  if (values !== undefined) return { enum: values };
  if (type === 'array') {
    return {
      type,
      items: typeof items === 'object' && 'type' in items ? { type: items.type } : {},
    };
  }
  return { type: type === 'integer' ? 'number' : type };
}

function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  trim: (json: JsonSchema) => void = () => {},
): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      // zod publishes the bounds of safe integers, which tell a caller nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Answers stay open, so that a later optional field breaks no client that cached this.
      if (io === 'output') delete jsonSchema.additionalProperties;
      else if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
      trim(jsonSchema);
    },
  });
  const { $schema: _, ...rest } = json;
  return rest;
}
