import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { UsageError } from '../../src/core/errors.ts';

describe('the environment', () => {
  it('yields the defaults, in a frozen configuration, if it is empty', () => {
    const hubUrl = 'https://huggingface.co';
    const defaults = { hubUrl, offline: false, modelDir: undefined, credits: 100_000, rate: 120 };
    const config = readConfig({}, '/home/ada/quantshelf');
    expect(config).toMatchObject({ home: '/home/ada/quantshelf', ...defaults });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('may contain a relative home, which becomes absolute, and a URL whose trailing slash is dropped', () => {
    const env = { QUANTSHELF_HOME: 'here', QUANTSHELF_HUB_URL: 'http://127.0.0.1:1/' };
    expect(readConfig(env)).toMatchObject({ home: resolve('here'), hubUrl: 'http://127.0.0.1:1' });
  });

  it('disables the network if QUANTSHELF_OFFLINE is 1 or true, but not if it is 0 or false', () => {
    const isOffline = (value: string) => readConfig({ QUANTSHELF_OFFLINE: value }).offline;
    expect(['1', 'true', '0', 'false'].map(isOffline)).toEqual([true, true, false, false]);
  });

  it.each([
    ['QUANTSHELF_OFFLINE', 'maybe'],
    ['QUANTSHELF_CREDITS', '9'.repeat(16)],
    ['QUANTSHELF_HUB_URL', 'localhost:8080'],
    ['QUANTSHELF_HUB_URL', 'file:///models'],
    ['QUANTSHELF_CREDITS', '-1'],
    ['QUANTSHELF_RATE', '0'],
    ['QUANTSHELF_AR5IV_URL', 'ar5iv.example'],
    ['QUANTSHELF_PACE_MS', '3s'],
    ['QUANTSHELF_CONTACT', 'a@b.c\r\nX-Other: 1'],
  ])('is rejected if it sets %s to %j, with an error that names the variable', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(UsageError);
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});
