import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, storePath, UsageError } from '../../src/config.ts';

describe('the environment', () => {
  it('has a default for everything', () => {
    const config = readConfig({}, '/home/ada/quantshelf');
    expect(config).toMatchObject({ offline: false, modelDir: undefined, credits: 100_000 });
    expect(config.rate).toBe(120);
    expect(config.home).toBe('/home/ada/quantshelf');
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
      QUANTSHELF_NPM_URL: 'https://npm.example/mirror/',
      QUANTSHELF_CREDITS: '0',
      QUANTSHELF_RATE: '600',
      QUANTSHELF_CONTACT: 'ada@example.org',
      QUANTSHELF_PACE_MS: '5',
      FRED_API_KEY: 'a key',
      QUANTSHELF_FRED_URL: 'http://127.0.0.1:5/',
      QUANTSHELF_POLYMARKET_URL: 'http://127.0.0.1:6',
      QUANTSHELF_KALSHI_URL: 'http://127.0.0.1:16/trade-api/v2',
      QUANTSHELF_BLS_URL: 'http://127.0.0.1:7/v1/',
      QUANTSHELF_TREASURY_URL: 'http://127.0.0.1:8',
      QUANTSHELF_NYFED_URL: 'http://127.0.0.1:10/api',
      QUANTSHELF_FEDBOARD_URL: 'http://127.0.0.1:14',
      QUANTSHELF_BEA_URL: 'http://127.0.0.1:11',
      QUANTSHELF_CENSUS_URL: 'http://127.0.0.1:12',
      QUANTSHELF_FHFA_URL: 'http://127.0.0.1:13',
      QUANTSHELF_ARXIV_OAI_URL: 'http://127.0.0.1:1/oai',
      QUANTSHELF_ARXIV_WEB_URL: 'http://127.0.0.1:3',
      QUANTSHELF_AR5IV_URL: 'http://127.0.0.1:4',
      CODEX_HOME: '/srv/codex',
      OFFLINE: 'maybe',
    });
    expect(config).toEqual({
      home: '/srv/shelf',
      offline: true,
      modelDir: '/srv/models',
      hubUrl: 'https://hub.example/base',
      npmUrl: 'https://npm.example/mirror',
      credits: 0,
      rate: 600,
      contact: 'ada@example.org',
      paceMs: 5,
      fredKey: 'a key',
      fredUrl: 'http://127.0.0.1:5',
      agencies: {
        bls: 'http://127.0.0.1:7/v1',
        treasury: 'http://127.0.0.1:8',
        new_york_fed: 'http://127.0.0.1:10/api',
        fed_board: 'http://127.0.0.1:14',
        bea: 'http://127.0.0.1:11',
        census: 'http://127.0.0.1:12',
        fhfa: 'http://127.0.0.1:13',
      },
      venues: {
        polymarket: 'http://127.0.0.1:6',
        kalshi: 'http://127.0.0.1:16/trade-api/v2',
      },
      arxiv: {
        oaiUrl: 'http://127.0.0.1:1/oai',
        webUrl: 'http://127.0.0.1:3',
        ar5ivUrl: 'http://127.0.0.1:4',
      },
      hostFolders: { codex: '/srv/codex' },
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
