import { describe, expect, it } from 'vitest';
import { readCommand, readConfig, UsageError } from '../src/config.ts';

describe('the environment', () => {
  it('has a default for everything', () => {
    const config = readConfig({ HOME: '/home/ada' });
    expect(config).toMatchObject({ offline: false, modelDir: undefined, credits: 100_000 });
    expect(config.home).toMatch(/quantshelf$/);
    expect(config.hubUrl).toMatch(/^https:\/\//);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('takes an empty variable for one that is not set', () => {
    const empty = { QUANTSHELF_OFFLINE: '', QUANTSHELF_CREDITS: '', QUANTSHELF_MODEL_DIR: '' };
    expect(readConfig(empty)).toMatchObject({
      offline: false,
      credits: 100_000,
      modelDir: undefined,
    });
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
    ['QUANTSHELF_CREDITS', '-1'],
    ['QUANTSHELF_CREDITS', '1e3'],
    ['QUANTSHELF_HUB_URL', 'not a url'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(UsageError);
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});

describe('the command line', () => {
  it.each([
    [[], { name: 'stdio' }],
    [['--help'], { name: 'help' }],
    [['status', '-h'], { name: 'help' }],
    [['--version'], { name: 'version' }],
    [['status', '--json'], { name: 'status', json: true }],
    [['doctor'], { name: 'doctor', json: false }],
    [['model'], { name: 'model', json: false }],
    [
      ['call', 'paper_read', '{"a":1}'],
      { name: 'call', operation: 'paper_read', input: '{"a":1}' },
    ],
    [
      ['call', 'macro_indicator_search'],
      { name: 'call', operation: 'macro_indicator_search', input: '{}' },
    ],
    [['keys', 'grant', 'local', '5'], { name: 'grant', account: 'local', credits: 5, json: false }],
  ])('%j', (argv, command) => {
    expect(readCommand(argv)).toEqual(command);
  });

  it.each([
    [['serve-me']],
    [['--nonsense']],
    [['--json']],
    [['call']],
    [['call', 'a', 'b', 'c']],
    [['status', 'extra']],
    [['keys', 'grant', 'local', '0']],
    [['keys', 'grant', 'local', '1.5']],
    [['keys', 'burn', 'local', '1']],
    [['keys']],
  ])('%j is wrong usage', (argv) => {
    expect(() => readCommand(argv)).toThrow(UsageError);
  });
});
