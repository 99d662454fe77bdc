import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MODEL, RUNTIME } from '../../../src/embedding/pinned.ts';

const manifest = z.looseObject({
  scripts: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

describe('npm run sbom', () => {
  const bill = z.looseObject({
    bomFormat: z.literal('CycloneDX'),
    metadata: z.looseObject({ component: z.looseObject({ name: z.literal('quantshelf') }) }),
    components: z.array(
      z.looseObject({
        name: z.string(),
        version: z.string().optional(),
        purl: z.string(),
        properties: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    ),
  });

  it.skipIf(!existsSync('dist/THIRD-PARTY.txt'))(
    'names what is installed, bundled and downloaded, and no development tool',
    () => {
      const args = ['--import', 'tsx', 'scripts/sbom.ts'];
      const output = bill.parse(JSON.parse(execFileSync(process.execPath, args).toString()));
      const names = output.components.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'sqlite-vec']));
      expect(names).toEqual(expect.arrayContaining(['zod', 'undici', 'parse5', 'unpdf']));
      // The downloads of the first search, with their sources.
      const purls = output.components.map(({ purl }) => purl);
      for (const { name, version } of RUNTIME.packages) {
        expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      }
      expect(purls).toContain(`pkg:huggingface/${MODEL.id}`);
      expect(purls.filter((purl) => purl.includes('://'))).toEqual([]);
      for (const tool of ['vitest', 'typescript', 'esbuild', 'fast-check']) {
        expect(names).not.toContain(tool);
      }
      const zod = output.components.find(({ name }) => name === 'zod');
      const { devDependencies } = manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));
      expect(zod?.version).toBe(devDependencies.zod);
      expect(zod?.properties).toContainEqual({ name: 'cdx:npm:package:bundled', value: 'true' });
    },
    60_000,
  );
});
