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
