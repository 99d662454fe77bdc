import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { UsageError } from '../../src/core/errors.ts';

describe('the environment', () => {
  it('has a default for everything', () => {
    const config = readConfig({}, '/home/ada/quantshelf');
    expect(config).toMatchObject({ offline: false, modelDir: undefined, credits: 100_000 });
    expect(config.rate).toBe(120);
    expect(config.home).toBe('/home/ada/quantshelf');
    expect(config.hubUrl).toMatch(/^https:\/\//);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('makes paths absolute and drops a slash at the end of a URL', () => {
    const config = readConfig({
      QUANTSHELF_HOME: 'here',
      QUANTSHELF_HUB_URL: 'http://127.0.0.1:1/',
    });
    expect(config.home.startsWith('/')).toBe(true);
    expect(config.hubUrl).toBe('http://127.0.0.1:1');
  });

  it.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ])('reads QUANTSHELF_OFFLINE=%s as %s', (value, offline) => {
    expect(readConfig({ QUANTSHELF_OFFLINE: value }).offline).toBe(offline);
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
  ])('rejects %s=%s and names the variable', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(UsageError);
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});
