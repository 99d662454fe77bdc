import type { publish, Table } from './published.ts';

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
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`published, but not in the table: ${name}`);
  return found;
}
