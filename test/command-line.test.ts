import { describe, expect, it } from 'vitest';
import { readCommand } from '../src/command-line.ts';
import { describeJsonFault } from '../src/command-line-json.ts';
import { UsageError } from '../src/config.ts';

const ALL = ['papers', 'macro', 'markets'];
const SERVE = { name: 'serve', host: '127.0.0.1', port: 8787, rate: undefined, allowedHosts: [] };

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
    [
      ['--allow-host', 'shelf.example', '--allow-host', 'desk-7'],
      { allowedHosts: ['shelf.example', 'desk-7'] },
    ],
  ])('%j', (words, changes) => {
    expect(readCommand(['serve', ...words])).toEqual({ ...SERVE, ...changes });
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
    [['--allow-host', 'shelf.example:80'], /--allow-host/],
    [['--allow-host', '*'], /--allow-host/],
    [['--json'], /--json/],
    [['--credits', '5'], /belongs to `quantshelf keys create`/],
    [['now'], /Usage: quantshelf serve/],
  ])('%j is wrong usage, and is named', (words, says) => {
    expect(() => readCommand(['serve', ...words])).toThrow(UsageError);
    expect(() => readCommand(['serve', ...words])).toThrow(says);
  });
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
    expect(readCommand(['keys', ...words])).toEqual(command);
  });

  it.each([
    [[], /create \| list \| grant \| revoke/],
    [['burn', 'ada'], /create \| list \| grant \| revoke/],
    [['create'], /Usage: quantshelf keys create NAME/],
    [['create', 'two words'], /NAME is made of/],
    [['create', '-x'], /./],
    [['create', 'a'.repeat(65)], /NAME is made of/],
    [['create', 'a\nb'], /NAME is made of/],
    [['create', 'ada', '--credits', '-5'], /./],
    [['create', 'ada', '--credits', '1e3'], /--credits/],
    [['create', 'ada', '--scopes', ''], /--scopes takes areas/],
    [['create', 'ada', '--scopes', 'papers,weather'], /--scopes takes areas/],
    [['list', 'ada'], /Usage: quantshelf keys list/],
    [['revoke'], /Usage: quantshelf keys revoke NAME/],
    [['list', '--credits', '5'], /belongs to `quantshelf keys create`/],
    [['create', 'ada', '--usage'], /belongs to `quantshelf keys list`/],
  ])('%j is wrong usage', (words, says) => {
    expect(() => readCommand(['keys', ...words])).toThrow(UsageError);
    expect(() => readCommand(['keys', ...words])).toThrow(says);
  });
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
    expect(() => readCommand([word])).toThrow(UsageError);
    expect(() => readCommand([word])).toThrow(
      `Did you mean "${meant}"? See \`quantshelf --help\`.`,
    );
  });

  it.each(['fetch', 'paper_search', 'x'])('%s is near to none', (word) => {
    expect(() => readCommand([word])).toThrow(
      `There is no command "${word}". See \`quantshelf --help\`.`,
    );
  });
});

describe('the place where arguments stop being JSON', () => {
  it.each([
    ['{}', undefined],
    ['7', undefined],
    ['', 'it ends too early'],
    ['{"q": "abc', 'it ends too early'],
    ['{"q": tru', 'it ends too early'],
    ['{"q": {"a": -', 'it ends too early'],
    ['{q: "x"}', 'it goes wrong at character 2'],
    ['{"q": "x",}', 'it goes wrong at character 11'],
    ['{"q": "x"}}', 'it goes wrong at character 11'],
    ['{"q": undefined}', 'it goes wrong at character 7'],
    ['{"limit": 05}', 'it goes wrong at character 12'],
    ['{"😀": bad}', 'it goes wrong at character 7'],
    [`{"q": "${'x'.repeat(5000)}", b}`, 'it goes wrong at character 5011'],
  ])('%s', (text, fault) => {
    expect(describeJsonFault(text)).toBe(fault);
  });
});
