import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { findHome } from '../../../src/core/home.ts';

it.each([
  [{ QUANTSHELF_HOME: '/srv/shelf' }, '/srv/shelf'],
  [{ QUANTSHELF_HOME: 'here' }, resolve('here')],
])('%j names the home', (env, home) => {
  expect(findHome(env)).toBe(home);
});

it.each([[{}], [{ QUANTSHELF_HOME: '' }]])("%j means the platform's data directory", (env) => {
  expect(findHome(env)).toMatch(/^\/.*quantshelf$/i);
});
