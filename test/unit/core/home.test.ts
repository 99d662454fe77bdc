import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findHome } from '../../../src/core/disk.ts';

it.each([
  [{ QUANTSHELF_HOME: '/srv/shelf' }, '/srv/shelf'],
  [{ QUANTSHELF_HOME: 'here' }, resolve('here')],
  [{ QUANTSHELF_HOME: '~' }, homedir()],
  [{ QUANTSHELF_HOME: '~/a ~/b' }, join(homedir(), 'a ~', 'b')],
  [{ QUANTSHELF_HOME: '~ada' }, resolve('~ada')],
])('%j names the home', async (env, home) => {
  expect(await findHome(env)).toBe(home);
});

it.each([[{}], [{ QUANTSHELF_HOME: '' }]])(
  "%j means the platform's data directory",
  async (env) => {
    expect(await findHome(env)).toMatch(/^\/.*quantshelf$/i);
  },
);

it.each(['', 'ada'])('a "~" is refused where the home directory is "%s"', async (home) => {
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  await expect(findHome({ QUANTSHELF_HOME: '~/shelf' })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('Write ~/shelf without "~".'),
  });
});
