import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { MODEL, RUNTIME } from '../../../src/embedding/pinned.ts';

const bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({ name: z.literal('quantshelf') }) }),
  components: z.array(z.looseObject({ name: z.string(), purl: z.string() })),
});

it.skipIf(!existsSync('dist/THIRD-PARTY.txt'))(
  'npm run sbom lists installed, bundled and downloaded packages, but no development tools',
  () => {
    const args = ['--import', 'tsx', 'scripts/sbom.ts'];
    const { components } = bill.parse(JSON.parse(execFileSync(process.execPath, args).toString()));
    const names = components.map(({ name }) => name);
    const libraries = ['better-sqlite3', 'sqlite-vec', 'zod', 'undici', 'parse5', 'unpdf'];
    expect(names).toEqual(expect.arrayContaining(libraries));
    // The downloads of the first search, with their sources.
    const purls = components.map(({ purl }) => purl);
    for (const { name, version } of RUNTIME.packages) {
      expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    }
    expect(purls).toContain(`pkg:huggingface/${MODEL.id}`);
    expect(purls.filter((purl) => purl.includes('://'))).toEqual([]);
    const tools = ['vitest', 'typescript', 'esbuild', 'fast-check'];
    expect(names.filter((name) => tools.includes(name))).toEqual([]);
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(components.find(({ name }) => name === 'zod')).toMatchObject({
      version: devDependencies.zod,
      properties: expect.arrayContaining([{ name: 'cdx:npm:package:bundled', value: 'true' }]),
    });
  },
);
