import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommand } from '../src/command-line.ts';
import { readConfig, storePath, UsageError } from '../src/config.ts';

describe('the environment', () => {
  it('has a default for everything', () => {
    const config = readConfig({ HOME: '/home/ada' });
    expect(config).toMatchObject({ offline: false, modelDir: undefined, credits: 100_000 });
    expect(config.rate).toBe(120);
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
      QUANTSHELF_RATE: '600',
      QUANTSHELF_CONTACT: 'ada@example.org',
      QUANTSHELF_PACE_MS: '5',
      FRED_API_KEY: 'a key',
      QUANTSHELF_FRED_URL: 'http://127.0.0.1:5/',
      QUANTSHELF_POLYMARKET_URL: 'http://127.0.0.1:6',
      QUANTSHELF_ARXIV_OAI_URL: 'http://127.0.0.1:1/oai',
      QUANTSHELF_ARXIV_API_URL: 'http://127.0.0.1:2/',
      QUANTSHELF_ARXIV_WEB_URL: 'http://127.0.0.1:3',
      QUANTSHELF_AR5IV_URL: 'http://127.0.0.1:4',
      OFFLINE: 'maybe',
    });
    expect(config).toEqual({
      home: '/srv/shelf',
      offline: true,
      modelDir: '/srv/models',
      hubUrl: 'https://hub.example/base',
      credits: 0,
      rate: 600,
      contact: 'ada@example.org',
      paceMs: 5,
      fredKey: 'a key',
      fredUrl: 'http://127.0.0.1:5',
      polymarketUrl: 'http://127.0.0.1:6',
      arxiv: {
        oaiUrl: 'http://127.0.0.1:1/oai',
        apiUrl: 'http://127.0.0.1:2',
        webUrl: 'http://127.0.0.1:3',
        ar5ivUrl: 'http://127.0.0.1:4',
      },
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
    ['QUANTSHELF_RATE', '0'],
    ['QUANTSHELF_RATE', '2.5'],
    ['QUANTSHELF_HUB_URL', 'not a url'],
    ['QUANTSHELF_AR5IV_URL', 'ar5iv.example'],
    ['QUANTSHELF_PACE_MS', '3s'],
    ['QUANTSHELF_CONTACT', 'a@b.c\r\nX-Other: 1'],
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
      { name: 'keys grant', account: 'local', credits: 5, json: true },
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
    [
      ['keys', 'grant', 'local', '5'],
      { name: 'keys grant', account: 'local', credits: 5, json: false },
    ],
    [
      ['sync'],
      {
        name: 'sync',
        areas: ['papers', 'macro', 'markets'],
        options: { since: undefined, limit: undefined, set: 'q-fin', fullText: 0, busiest: false },
        json: false,
      },
    ],
    [
      ['sync', 'papers', '--since=2025-01-31', '--limit', '10', '--set', 'q-fin.PM', '--json'],
      {
        name: 'sync',
        areas: ['papers'],
        options: {
          since: '2025-01-31',
          limit: 10,
          set: 'q-fin:q-fin:PM',
          fullText: 0,
          busiest: false,
        },
        json: true,
      },
    ],
    [
      ['sync', 'papers', '--full-text', '50', '--set', 'econ:econ:GN'],
      {
        name: 'sync',
        areas: ['papers'],
        options: {
          since: undefined,
          limit: undefined,
          set: 'econ:econ:GN',
          fullText: 50,
          busiest: false,
        },
        json: false,
      },
    ],
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
    [['sync', 'weather']],
    [['sync', 'papers', 'more']],
    [['sync', '--since', '2026-02-30']],
    [['sync', '--since', '1999-01-01']],
    [['sync', '--limit', '0']],
    [['sync', '--full-text', 'all']],
    [['sync', '--set', 'q-fin&verb=Identify']],
    [['status', '--limit', '5']],
    [['keys', 'grant', 'local', '5', '--credits', '5']],
    [['serve', 'now']],
  ])('%j is wrong usage', (argv) => {
    expect(() => readCommand(argv)).toThrow(UsageError);
  });

  it.each([['help'], ['help', 'sync'], ['sync', '--help']])('%s %s asks for help', (...argv) => {
    expect(readCommand(argv)).toEqual({ name: 'help' });
  });

  it.each([
    [['sync', '--full-text', '-3'], '--full-text takes no negative number such as -3. '],
    [['sync', '--limit'], '--limit needs a value behind it. '],
    [['sync', '--limit', '--json'], '--limit needs a value behind it. '],
    [['keys', 'grant', 'local', '-5'], '-5 is no whole number above 0. '],
    [['status', '--json=yes'], '--json takes no value. '],
    [['status', '--yaml'], 'There is no option --yaml. '],
    [['status', '-x'], 'There is no option -x. '],
    [['sync', 'macro', '--since', '2026-01-01'], '--since belongs to `quantshelf sync papers`'],
    [['sync', 'markets', '--limit', '3'], '--limit belongs to `quantshelf sync papers`'],
    [['sync', 'papers', '--busiest'], '--busiest belongs to `quantshelf sync markets`'],
    [['sync', '--since', '2026-11-22'], '--since takes no day of the future; 2026-11-22 is one.'],
    [['sync', '--set', 'finance'], 'arXiv has no set of this name'],
    [['sync', '--set', 'q-fin.XX'], 'arXiv has no set of this name'],
    [['sync', '--set', 'q-fin:cs:AI'], 'arXiv has no set of this name'],
  ])('%j is told in our words', (argv, words) => {
    expect(() => readCommand(argv, new Date('2026-11-21T23:59:00Z'))).toThrow(words);
  });

  it.each([
    ['q-fin', 'q-fin'],
    ['Q-FIN.pm', 'q-fin:q-fin:PM'],
    ['q-fin:q-fin', 'q-fin:q-fin'],
    ['econ.GN', 'econ:econ:GN'],
    ['astro-ph.CO', 'physics:astro-ph:CO'],
    ['physics.soc-ph', 'physics:physics:soc-ph'],
    ['hep-th', 'physics:hep-th'],
    ['physics', 'physics'],
  ])('--set %s is the set %s', (given, set) => {
    expect(readCommand(['sync', '--set', given])).toMatchObject({ options: { set } });
  });

  it('says what was wrong and where help is', () => {
    expect(() => readCommand(['serve-me'])).toThrow(/"serve-me".*quantshelf --help/);
    expect(() => readCommand(['--nonsense'])).toThrow(/--nonsense.*quantshelf --help/);
    expect(() => readCommand(['call'])).toThrow('quantshelf call <operation>');
    expect(() => readCommand(['keys', 'grant', 'local', '0'])).toThrow('above 0');
  });
});
