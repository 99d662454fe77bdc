import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderShrinkwrap } from '../../../scripts/shrinkwrap.ts';

const lock = readFileSync('package-lock.json', 'utf8');
const manifest = readFileSync('package.json', 'utf8');

it('the lockfile keeps what npm install drops: better-sqlite3 brings its binaries, so nothing is built', () => {
  expect(JSON.parse(lock).packages['node_modules/better-sqlite3']).toMatchObject({
    gypfile: false,
  });
});

it('the lockfiles hold no address of a registry', () => {
  for (const text of [lock, renderShrinkwrap(lock, manifest)]) {
    expect(text).not.toMatch(/"resolved": "(?!scripts\/)/);
  }
});

it('the package locks what users install, and better-sqlite3 12 to versions of Node that need it', () => {
  const { packages, ...rest } = JSON.parse(renderShrinkwrap(lock, manifest));
  const { dependencies, optionalDependencies, version } = JSON.parse(manifest);
  expect(rest).toMatchObject({ name: 'quantshelf', version });
  expect(packages['']).toMatchObject({ dependencies, optionalDependencies });
  expect(packages[''].devDependencies).toBeUndefined();
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    expect(packages).toHaveProperty([`node_modules/${name}`]);
  }
  expect(packages['node_modules/better-sqlite3'].gypfile).toBe(false);
  expect(packages['node_modules/better-sqlite3-node20']).toMatchObject({
    version: '12.11.1',
    optional: true,
    engines: { node: '<22.14.0 || >=23.0.0 <23.6.0' },
  });
  expect(packages['node_modules/better-sqlite3-node20'].integrity).toMatch(/^sha512-/);
  expect(packages).not.toHaveProperty(['node_modules/vitest']);
  expect(packages).not.toHaveProperty(['node_modules/@huggingface/transformers']);
});
