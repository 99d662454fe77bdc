import type { Operation } from '../core/operation.ts';
import type { Prompt, PromptArgument } from '../core/prompt.ts';
import type { Resource } from '../core/resource.ts';
import type { PublishedSchemas } from './object-schema.ts';

/** What stands beside the operations over MCP. */
export interface Beside {
  resources: readonly Resource[];
  prompts: readonly Prompt[];
}

export interface Table extends Beside {
  operations: readonly Operation[];
}

/** What a client is shown of the table: JSON, which the build derives, so that a start loads no area. */
export interface Published {
  tools: readonly PublishedTool[];
  resources: readonly PublishedResource[];
  prompts: readonly PublishedPrompt[];
}

export interface PublishedTool
  extends Pick<Operation, 'name' | 'title' | 'description'>,
    PublishedSchemas {
  /** What is told to hosts, and not to the model. */
  meta: Record<string, unknown>;
}

export interface PublishedResource
  extends Pick<Resource, 'name' | 'title' | 'description' | 'area' | 'uri' | 'mimeType' | 'ttlMs'> {
  /** Whether what a template stands for is listed. */
  isListed: boolean;
}

export interface PublishedPrompt extends Pick<Prompt, 'name' | 'title' | 'description' | 'area'> {
  arguments: Readonly<Record<string, Pick<PromptArgument, 'description' | 'isRequired'>>>;
}

/** The table, or what is shown of it until a call needs it. */
export interface LazyTable {
  published(): Published;
  /** Loads the areas. Rejects with a ServiceError. */
  load(): Promise<Table>;
}

/** The row of this name; throws if it was published and is not in the table. */
export function findNamed<T extends { name: string }>(rows: readonly T[], name: string): T {
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`published, but not in the table: ${name}`);
  return found;
}
