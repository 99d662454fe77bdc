import { readFileSync } from 'node:fs';
import * as z from 'zod';

const address = z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]);

/** The fields of package.json that other formats repeat. Those not decided yet are undefined. */
const packageSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  author: z.string(),
  license: z.string(),
  keywords: z.array(z.string()),
  /** Addresses, in either of npm's forms. */
  repository: address
    .transform((url) => url.replace(/^git\+/, '').replace(/\.git$/, ''))
    .optional(),
  homepage: z.string().optional(),
  bugs: address.optional(),
  /** The name in the MCP registry, such as `io.github.OWNER/quantshelf`. */
  mcpName: z.string().optional(),
});

export type Package = z.output<typeof packageSchema>;

export function parsePackage(manifest: unknown): Package {
  return packageSchema.parse(manifest);
}

export function readPackage(): Package {
  const file = new URL('../package.json', import.meta.url);
  return parsePackage(JSON.parse(readFileSync(file, 'utf8')));
}
