import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommand, readConfig, storePath, UsageError } from '../src/config.ts';

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

  it('reads every variable of its own, and none of others', () => {
    const config = readConfig({
      QUANTSHELF_HOME: '/srv/shelf',
      QUANTSHELF_OFFLINE: '1',
      QUANTSHELF_MODEL_DIR: '/srv/models',
      QUANTSHELF_HUB_URL: 'https://hub.example/base',
      QUANTSHELF_CREDITS: '0',
      OFFLINE: 'maybe',
    });
    expect(config).toEqual({
      home: '/srv/shelf',
      offline: true,
      modelDir: '/srv/models',
      hubUrl: 'https://hub.example/base',
      credits: 0,
    });
    expect(storePath(config.home)).toBe(join('/srv/shelf', 'quantshelf.sqlite'));
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
    ['QUANTSHELF_OFFLINE', ' 1'],
    ['QUANTSHELF_CREDITS', '1.5'],
    ['QUANTSHELF_CREDITS', ' 5'],
    ['QUANTSHELF_CREDITS', '9'.repeat(16)],
    ['QUANTSHELF_HUB_URL', 'localhost:8080'],
    ['QUANTSHELF_HUB_URL', 'file:///models'],
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
    [['-v'], { name: 'version' }],
    [['model', '--version'], { name: 'version' }],
    [['--help', 'no-such-command'], { name: 'help' }],
    [['--json', 'status'], { name: 'status', json: true }],
    [['status'], { name: 'status', json: false }],
    [['doctor', '--json'], { name: 'doctor', json: true }],
    [['model', '--json'], { name: 'model', json: true }],
    [
      ['keys', 'grant', 'local', '5', '--json'],
      { name: 'grant', account: 'local', credits: 5, json: true },
    ],
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
    [['keys', 'grant', 'local', '-5']],
    [['keys', 'grant', 'local', '1e3']],
    [['keys', 'grant', 'local', '9'.repeat(16)]],
    [['keys', 'grant', 'local']],
    [['keys', 'grant', 'local', '5', 'more']],
    [['status', '--json=yes']],
    [['constructor']],
    [['']],
    [['keys']],
  ])('%j is wrong usage', (argv) => {
    expect(() => readCommand(argv)).toThrow(UsageError);
  });

  it('says what was wrong and where help is', () => {
    expect(() => readCommand(['serve-me'])).toThrow(/"serve-me".*quantshelf --help/);
    expect(() => readCommand(['--nonsense'])).toThrow(/--nonsense.*quantshelf --help/);
    expect(() => readCommand(['call'])).toThrow('quantshelf call <operation>');
    expect(() => readCommand(['keys', 'grant', 'local', '0'])).toThrow('above 0');
  });
});
