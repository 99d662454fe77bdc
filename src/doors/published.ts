import { readFileSync } from 'node:fs';
import type { Operation } from '../core/operation.ts';
import type { Prompt } from '../core/prompt.ts';
import type { Resource } from '../core/resource.ts';
import { inputSchema, outputSchema } from './schemas.ts';
import { viewMeta } from './view-resource.ts';

/** That of the page, beside this file in the sources and beside the program in the build. */
const ICON = new URL('./views/icon.svg', import.meta.url);

/** What stands beside the operations over MCP. */
export interface Beside {
  resources: readonly Resource[];
  prompts: readonly Prompt[];
}

export interface Table extends Beside {
  operations: readonly Operation[];
}

/**
 * What a client is shown of the table: JSON, which the build derives, so that a start loads no area. A
 * resource `isListed` if what its template stands for is; the `meta` of a tool is told to hosts, and
 * not to the model.
 */
export type Published = ReturnType<typeof publish>;
export type PublishedTool = Published['tools'][number];
export type PublishedResource = Published['resources'][number];
export type PublishedPrompt = Published['prompts'][number];

/** The table, or what is shown of it until a call needs it. */
export interface LazyTable {
  published(): Published;
  /** Loads the areas. Rejects with a ServiceError. */
  load(): Promise<Table>;
}

/** The row of this name; throws if it was published and is not in the table. */
export function findNamed<T extends { name: string }>(rows: readonly T[], name: string): T {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`published, but not in the table: ${name}`);
  return row;
}

/** A table that is loaded. */
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
      meta: metaOf(operation),
    })),
    resources: resources.map(({ name, title, description, area, uri, mimeType, ttlMs, list }) => ({
      ...{ name, title, description, area, uri, mimeType, ttlMs },
      isListed: list !== undefined,
    })),
    prompts: prompts.map(({ name, title, description, area, arguments: all }) => ({
      ...{ name, title, description, area },
      arguments: Object.fromEntries(
        Object.entries(all).map(([each, { description, isRequired }]) => [
          each,
          { description, isRequired },
        ]),
      ),
    })),
  };
}

/** An operation's description as agents read it, with its price. */
export function describeTool(operation: Operation): string {
  const { description, price } = operation;
  const cost = price === 0 ? 'Free.' : `Costs ${price} credit${price === 1 ? '' : 's'}.`;
  return `${description} ${cost}`;
}

function metaOf(operation: Operation): Record<string, unknown> {
  const { longReply, searchHint } = operation;
  return {
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
    ...(longReply === undefined ? {} : { 'anthropic/maxResultSizeChars': longReply }),
    ...viewMeta(operation),
  };
}
