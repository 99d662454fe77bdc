import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { findHome } from '../../../src/core/home.ts';

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
