import * as z from 'zod';
import type { Operation } from '../core/operation.ts';

/** A JSON Schema (2020-12) with an object at its root. */
export type ObjectSchema = Record<string, unknown> & { type: 'object' };

const number = { type: 'number' };
const string = { type: 'string' };

/**
 * `meta` and `error` of every envelope. Nothing is required at the root: clients check results
 * that are errors against the same schema.
 */
const META = {
  type: 'object',
  properties: {
    creditsUsed: number,
    remainingCredits: number,
    requestId: string,
    asOf: { ...string, description: 'When last refreshed' },
    notice: string,
  },
  required: ['creditsUsed', 'remainingCredits'],
};
const ERROR = {
  type: 'object',
  properties: { code: string, message: string, param: string, requestId: string },
  required: ['code', 'message', 'requestId'],
};
/** What answers that rank papers add to `meta`. */
const RANKING_META = {
  verdict: { enum: ['strong', 'weak', 'none'] },
  matches: { type: 'array', items: { type: 'object' } },
};

/** The arguments of an operation, closed: exactly what `run` accepts. */
export function inputSchema(operation: Operation): ObjectSchema {
  return { ...toJsonSchema(operation.input, 'input'), type: 'object' };
}

/** The whole envelope of an operation's answers, errors included. */
export function outputSchema(operation: Operation): ObjectSchema {
  const meta =
    operation.ranks === true
      ? { ...META, properties: { ...META.properties, ...RANKING_META } }
      : META;
  // Field names say enough to an agent, whose context descriptions would fill.
  const data = toJsonSchema(operation.output, 'output', (json) => delete json.description);
  return { type: 'object', properties: { data, meta, error: ERROR } };
}

/** `data` of an operation's answers, every field described. */
export function dataSchema(operation: Operation): Record<string, unknown> {
  return toJsonSchema(operation.output, 'output');
}

function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  trim: (json: z.core.JSONSchema.BaseSchema) => void = () => {},
): Record<string, unknown> {
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
