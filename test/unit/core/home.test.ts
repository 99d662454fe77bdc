import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { findHome } from '../../../src/core/home.ts';

it.each([
  [{ QUANTSHELF_HOME: '/srv/shelf' }, '/srv/shelf'],
  [{ QUANTSHELF_HOME: 'here' }, resolve('here')],
])('%j names the home', async (env, home) => {
  expect(await findHome(env)).toBe(home);
});

it.each([[{}], [{ QUANTSHELF_HOME: '' }]])(
  "%j means the platform's data directory",
  async (env) => {
    expect(await findHome(env)).toMatch(/^\/.*quantshelf$/i);
  },
);
