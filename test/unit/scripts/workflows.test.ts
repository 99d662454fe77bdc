import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const workflow = z.looseObject({
  on: z.looseObject({}),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      permissions: z.record(z.string(), z.string()).optional(),
      strategy: z.looseObject({ matrix: z.object({ node: z.array(z.number()) }) }).optional(),
      steps: z.array(step),
    }),
  ),
});
const manifest = z.looseObject({
  scripts: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const { scripts } = manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));

function read(name: string) {
  const text = readFileSync(`.github/workflows/${name}.yml`, 'utf8');
  const parsed = workflow.parse(parse(text));
  const steps = Object.values(parsed.jobs).flatMap((job) => job.steps);
  return { ...parsed, steps, runs: steps.flatMap(({ run }) => run ?? []), text };
}

it.each(['ci', 'release'])('%s may only read what it does not need to write', (name) => {
  const { permissions, steps, runs, text } = read(name);
  expect(permissions).toEqual({ contents: 'read' });
  for (const { uses } of steps)
    if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
  for (const run of runs) {
    // Names of branches and titles are text of strangers; a shell would run them.
    expect(run).not.toContain('${{');
    const script = /npm run (?:--silent )?([\w:]+)/.exec(run)?.[1];
    if (script !== undefined) expect(scripts).toHaveProperty(script);
  }
  expect(text).not.toMatch(/github\.com\//);
});

it('CI does what a newcomer does, on every Node that is supported', () => {
  const { jobs, runs } = read('ci');
  expect(Object.values(jobs)[0]?.strategy?.matrix.node).toEqual([20, 22, 24]);
  expect(runs).toEqual(['.ci/run']);
  expect(existsSync('.ci/run')).toBe(true);
});

it('a release is of a tag, tested, with its bill of materials and provenance', () => {
  const { on, jobs, runs } = read('release');
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(Object.values(jobs)[0]?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  const order = [
    'GITHUB_REF_NAME',
    '.ci/run',
    'E2E_NODE=$node npm run test:e2e',
    'npm run --silent sbom',
    'npm run bundle',
    'npm publish --provenance',
  ];
  expect(runs.map((run) => order.findIndex((part) => run.includes(part)))).toEqual([
    0, 1, 2, 3, 4, 5,
  ]);
});

describe('npm run sbom', () => {
  const bill = z.looseObject({
    bomFormat: z.literal('CycloneDX'),
    metadata: z.looseObject({ component: z.looseObject({ name: z.literal('quantshelf') }) }),
    components: z.array(
      z.looseObject({
        name: z.string(),
        version: z.string(),
        purl: z.string(),
        properties: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    ),
  });

  it.skipIf(!existsSync('dist/THIRD-PARTY.txt'))(
    'names what is installed and what is bundled, and no tool of the development',
    () => {
      const args = ['--import', 'tsx', 'scripts/sbom.ts'];
      const told = bill.parse(JSON.parse(execFileSync(process.execPath, args).toString()));
      const names = told.components.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'sqlite-vec']));
      expect(names).toEqual(expect.arrayContaining(['zod', 'undici', 'saxes', 'unpdf']));
      for (const tool of ['vitest', 'typescript', 'esbuild', 'fast-check']) {
        expect(names).not.toContain(tool);
      }
      const zod = told.components.find(({ name }) => name === 'zod');
      const { devDependencies } = manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));
      expect(zod?.version).toBe(devDependencies.zod);
      expect(zod?.properties).toContainEqual({ name: 'cdx:npm:package:bundled', value: 'true' });
    },
    60_000,
  );
});
