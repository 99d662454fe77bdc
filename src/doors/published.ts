import type { Operation } from '../core/operation.ts';
import { inputSchema, type ObjectSchema, outputSchema } from './schemas.ts';

/** The schemas of an operation as MCP publishes them. */
export interface PublishedSchemas {
  input: ObjectSchema;
  output: ObjectSchema;
}

declare const QUANTSHELF_SCHEMAS: Readonly<Record<string, PublishedSchemas>> | undefined;

/** From the build, where there is one: deriving them from zod would take a tenth of the start. */
export function publishedSchemas(operation: Operation): PublishedSchemas {
  const built = typeof QUANTSHELF_SCHEMAS === 'undefined' ? undefined : QUANTSHELF_SCHEMAS;
  return built?.[operation.name] ?? deriveSchemas(operation);
}

export function deriveSchemas(operation: Operation): PublishedSchemas {
  return { input: inputSchema(operation), output: outputSchema(operation) };
}
