import { describe, expect, it } from 'vitest';
import { paperSearch } from '../../../src/areas/papers/operations.ts';
import { helpOf, readInvocation } from '../../../src/cli/program.ts';
import { UsageError } from '../../../src/config.ts';
import { LIMITS } from '../../../src/doors/http/listen.ts';

const ALL = ['papers', 'macro', 'markets'];
const SERVE = {
  name: 'serve',
  host: '127.0.0.1',
  port: 8787,
  rate: undefined,
  maxConnections: LIMITS.connections,
  allowedHosts: [],
};

const NOW = new Date('2026-11-21T23:59:00Z');
const print = () => expect.unreachable('nothing is to be printed');
const read = (argv: readonly string[]) => readInvocation(argv, print, NOW);

describe('serve', () => {
  it.each([
    [[], {}],
    [['--port', '0'], { port: 0 }],
    [['--port=65535'], { port: 65_535 }],
    [['--host', '0.0.0.0'], { host: '0.0.0.0' }],
    [['--host', '[::1]'], { host: '::1' }],
    [['--host', '::'], { host: '::' }],
    [['--host', 'localhost'], { host: 'localhost' }],
    [['--rate', '6000'], { rate: 6000 }],
    [['--max-connections', '7'], { maxConnections: 7 }],
    [
      ['--allow-host', 'shelf.example', '--allow-host', 'desk-7'],
      { allowedHosts: ['shelf.example', 'desk-7'] },
    ],
  ])('%j', (words, changes) => {
    expect(read(['serve', ...words])).toEqual({ ...SERVE, ...changes });
  });

  it.each([
    [['--port', '65536'], /--port/],
    [['--port', '-1'], /--port/],
    [['--port', 'http'], /--port/],
    [['--host', 'http://localhost'], /--host/],
    [['--host', '127.0.0.1/8'], /--host/],
    [['--host', ''], /--host/],
    [['--rate', '0'], /--rate/],
    [['--rate', '1.5'], /--rate/],
    [['--max-connections', '0'], /--max-connections/],
    [['--allow-host', 'shelf.example:80'], /--allow-host/],
    [['--allow-host', '*'], /--allow-host/],
    [['--json'], /--json/],
    [['--credits', '5'], /Unknown option '--credits'/],
    [['now'], /Too many arguments for 'serve'/],
  ])('%j is wrong usage, and is named', (words, says) => {
    expect(() => read(['serve', ...words])).toThrow(UsageError);
    expect(() => read(['serve', ...words])).toThrow(says);
  });
});

it.each(['backup', 'restore'] as const)('%s takes a file', (name) => {
  expect(read([name, 'saved.sqlite'])).toEqual({ name, file: 'saved.sqlite', json: false });
  expect(() => read([name])).toThrow(/Missing required argument 'file'/);
});

describe('keys', () => {
  it.each([
    [
      ['create', 'ada'],
      { name: 'keys create', account: 'ada', credits: 10_000, scopes: ALL, json: false },
    ],
    [
      ['create', 'desk-7.notebook', '--credits', '0', '--scopes', 'markets, macro', '--json'],
      {
        ...{ name: 'keys create', account: 'desk-7.notebook', credits: 0, json: true },
        scopes: ['macro', 'markets'],
      },
    ],
    [['list'], { name: 'keys list', usage: false, json: false }],
    [['list', '--usage', '--json'], { name: 'keys list', usage: true, json: true }],
    [['grant', 'ada', '5'], { name: 'keys grant', account: 'ada', credits: 5, json: false }],
    [['revoke', 'ada', '--json'], { name: 'keys revoke', account: 'ada', json: true }],
  ])('%j', (words, command) => {
    expect(read(['keys', ...words])).toEqual(command);
  });

  it.each([
    [[], /create [\s\S]* list [\s\S]* grant [\s\S]* revoke/],
    [['burn', 'ada'], /Unknown command 'burn'/],
    [['create'], /Missing required argument 'NAME'/],
    [['create', 'two words'], /NAME may hold letters/],
    [['create', '-x'], /./],
    [['create', 'a'.repeat(65)], /NAME may hold letters/],
    [['create', 'a\nb'], /NAME may hold letters/],
    [['create', 'ada', '--credits', '-5'], /--credits must be a whole number/],
    [['create', 'ada', '--credits', '1e3'], /--credits/],
    [['create', 'ada', '--scopes', ''], /--scopes must list areas/],
    [['create', 'ada', '--scopes', 'papers,weather'], /--scopes must list areas/],
    [['list', 'ada'], /Too many arguments for 'list'/],
    [['revoke'], /Missing required argument 'NAME'/],
    [['list', '--credits', '5'], /Unknown option '--credits'/],
    [['create', 'ada', '--usage'], /Unknown option '--usage'/],
  ])('%j is wrong usage', (words, says) => {
    expect(() => read(['keys', ...words])).toThrow(UsageError);
    expect(() => read(['keys', ...words])).toThrow(says);
  });

  it('without a word shows its own help, which keeps its lines', () => {
    expect(() => read(['keys'])).toThrow(
      expect.objectContaining({ isHelp: true, message: helpOf('keys') }),
    );
    expect(() => read(['keys', 'burn'])).toThrow(expect.objectContaining({ isHelp: false }));
  });
});

it('`help` knows the commands of a command', () => {
  const printed: string[] = [];
  readInvocation(['help', 'keys', 'create'], (text) => printed.push(text));
  expect(printed).toEqual([helpOf('keys', 'create')]);
});

describe('a word that is no command', () => {
  it.each([
    ['statsu', 'status'],
    ['cal', 'call'],
    ['Doctor', 'doctor'],
    ['key', 'keys'],
    ['server', 'serve'],
    ['sybc', 'sync'],
    ['modle', 'model'],
    ['hlep', 'help'],
  ])('%s may mean %s', (word, meant) => {
    expect(() => read([word])).toThrow(UsageError);
    expect(() => read([word])).toThrow(
      `Unknown command '${word}'. Did you mean ${meant}?\nSee \`quantshelf --help\`.`,
    );
  });

  it.each(['fetch', 'x'])('%s is near to none', (word) => {
    expect(() => read([word])).toThrow(`Unknown command '${word}'.\nSee \`quantshelf --help\`.`);
  });

  it.each([
    [['paper_search', `{"query":"it's"}`], `paper_search '${JSON.stringify(paperSearch.example)}'`],
    [['paper_search'], `paper_search '${JSON.stringify(paperSearch.example)}'`],
  ])('%j is an operation, and how to call it is said', (argv, call) => {
    expect(() => read(argv)).toThrow(UsageError);
    expect(() => read(argv)).toThrow(`Unknown command '${argv.find((word) => word !== 'help')}'.`);
    expect(() => read(argv)).toThrow(`\`quantshelf call ${call}\`.`);
  });
});

describe('a command line', () => {
  it.each([
    [['status'], { name: 'status', json: false, since: undefined }],
    [['doctor', '--json'], { name: 'doctor', json: true }],
    [['model', '--json'], { name: 'model', json: true }],
    [
      ['keys', 'grant', 'local', '5', '--json'],
      { name: 'keys grant', account: 'local', credits: 5, json: true },
    ],
    [['status', '--json'], { name: 'status', json: true, since: undefined }],
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
        options: {
          since: undefined,
          limit: undefined,
          set: 'q-fin',
          fullText: 0,
          refresh: undefined,
          force: false,
        },
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
          refresh: undefined,
          force: false,
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
          refresh: undefined,
          force: false,
        },
        json: false,
      },
    ],
  ])('%j', (argv, command) => {
    expect(read(argv)).toEqual(command);
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
    expect(() => read(argv)).toThrow(UsageError);
  });

  it.each([
    [['--version'], /^0\.0\.0-source$/],
    [['-v'], /^0\.0\.0-source$/],
    [['model', '--version'], /^0\.0\.0-source$/],
    [['--help'], /^Usage: quantshelf \[command\][\s\S]*paper_search[\s\S]*QUANTSHELF_HOME/],
    [['help'], /^Usage: quantshelf \[command\]/],
    [['--help', 'no-such-command'], /^Usage: quantshelf \[command\]/],
    [['status', '-h'], /^Usage: quantshelf status/],
    [['help', 'sync'], /^Usage: quantshelf sync[\s\S]*--full-text/],
    [['help', 'keys'], /^Usage: quantshelf keys[\s\S]*revoke/],
    [['help', '--help'], /^Usage: quantshelf \[command\]/],
    [['keys', 'create', '--help'], /^Usage: quantshelf keys create[\s\S]*--scopes/],
  ])('%j prints and asks for no work', (argv, text) => {
    const printed: string[] = [];
    expect(readInvocation(argv, (each) => printed.push(each))).toBeNull();
    expect(printed.join('\n')).toMatch(text);
  });

  it.each([
    [['sync', '--full-text', '-3'], '--full-text must be a whole number above 0.'],
    [['sync', '--limit'], "Option '--limit <n>' argument missing"],
    [['sync', '--limit', '--json'], '--limit must be a whole number above 0.'],
    [['keys', 'grant', 'local', '-5'], 'N must be a whole number above 0.'],
    [['status', '--json=yes'], "Unknown option '--json=yes'"],
    [['status', '--yaml'], "Unknown option '--yaml'"],
    [['status', '--jsn'], "Unknown option '--jsn'. Did you mean --json?"],
    [['status', '-x'], "Unknown option '-x'"],
    [['sync', 'weather'], 'Unknown area "weather". Use papers, macro or markets.'],
    [['sync', '--since', '2005-09-15'], '--since must not be before 2005-09-16.'],
    [['sync', 'macro', '--since', '2026-01-01'], '--since belongs to `quantshelf sync papers`'],
    [['sync', 'markets', '--limit', '3'], '--limit belongs to `quantshelf sync papers`'],
    [['sync', 'papers', '--refresh', 'full'], '--refresh belongs to `quantshelf sync markets`'],
    [['sync', '--since', '2026-11-22'], '--since must not be in the future.'],
    [['sync', '--set', 'finance'], 'Unknown arXiv set "finance". Use a group such as q-fin'],
    [['sync', '--set', 'q-fin.XX'], 'Unknown arXiv set'],
    [['sync', '--set', 'q-fin:cs:AI'], 'Unknown arXiv set'],
  ])('%j is told in our words', (argv, words) => {
    expect(() => read(argv)).toThrow(words);
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
    expect(read(['sync', '--set', given])).toMatchObject({ options: { set } });
  });
});
