import { expect, it } from 'vitest';
import { readInvocation } from '../../../src/cli/program.ts';
import { UsageError } from '../../../src/core/errors.ts';
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
const SYNC = {
  name: 'sync',
  areas: ALL,
  papers: { since: undefined, limit: undefined, set: 'q-fin', fullText: 0 },
  markets: { venue: undefined, refresh: undefined },
  force: false,
  json: false,
};
const ADA = { account: 'ada', json: false };

const NOW = new Date('2026-11-21T23:59:00Z');
const print = () => expect.unreachable('nothing is to be printed');
const read = (line: string) => readInvocation(line.split(' '), print, NOW);

it.each([
  ['serve', SERVE],
  ['serve --port 0', { ...SERVE, port: 0 }],
  ['serve --host [::1]', { ...SERVE, host: '::1' }],
  ['serve --rate 6000 --max-connections 7', { ...SERVE, rate: 6000, maxConnections: 7 }],
  ['serve --allow-host a.example --allow-host b', { ...SERVE, allowedHosts: ['a.example', 'b'] }],
  ['backup saved.sqlite', { name: 'backup', file: 'saved.sqlite', json: false }],
  ['keys create ada', { name: 'keys create', ...ADA, credits: 10_000, scopes: ALL }],
  [
    'keys create ada --credits 0 --scopes markets,macro',
    { name: 'keys create', ...ADA, credits: 0, scopes: ['macro', 'markets'] },
  ],
  ['keys list --usage', { name: 'keys list', usage: true, json: false }],
  ['keys grant ada 5', { name: 'keys grant', ...ADA, credits: 5 }],
  ['status --json', { name: 'status', json: true, since: undefined, due: undefined }],
  ['status --since 7d', { name: 'status', json: false, since: '7d', due: undefined }],
  ['status --due 7d', { name: 'status', json: false, since: undefined, due: 7 }],
  ['model --json', { name: 'model', json: true }],
  ['call paper_read', { name: 'call', operation: 'paper_read', input: '{}' }],
  ['call paper_read {"a":1}', { name: 'call', operation: 'paper_read', input: '{"a":1}' }],
  ['sync', SYNC],
  [
    'sync papers --since=2025-01-31 --limit 10 --set q-fin.PM --full-text 5 --json',
    {
      ...SYNC,
      areas: ['papers'],
      json: true,
      papers: { since: '2025-01-31', limit: 10, fullText: 5, set: 'q-fin:q-fin:PM' },
    },
  ],
  [
    'sync markets --source kalshi --refresh full --force',
    {
      ...SYNC,
      areas: ['markets'],
      markets: { venue: 'kalshi', refresh: 'full' },
      force: true,
    },
  ],
])('`quantshelf %s` is parsed, with defaults for omitted options', (line, command) => {
  expect(read(line)).toEqual(command);
});

it.each([
  ['', /unknown command ''/],
  ['statsu', /unknown command 'statsu'\n\(Did you mean status\?\)\nSee `quantshelf --help`\./],
  [
    'status --jsn',
    /unknown option '--jsn'\n\(Did you mean --json\?\)\nSee `quantshelf status --help`\./,
  ],
  ['status --due 9w', /--due must be 1 to 999 days, such as 7d/],
  ['status --since 9w', /--since must be a number of days such as 7d/],
  ['call', /missing required argument 'operation'\nSee `quantshelf call --help`\./],
  ['keys grant', /missing required argument 'NAME'\nSee `quantshelf keys --help`\./],
  ['serve --port 65536', /--port/],
  ['serve --host http://localhost', /--host/],
  ['serve --host ', /--host/],
  ['serve --rate 0', /--rate/],
  ['serve --max-connections 1.5', /--max-connections/],
  ['serve --allow-host *', /--allow-host/],
  ['keys', /create [\s\S]* list [\s\S]* grant [\s\S]* revoke/],
  ['keys create a\nb', /NAME must be 1 to 64 letters/],
  [`keys create ${'a'.repeat(65)}`, /NAME must be 1 to 64 letters/],
  ['keys create ada --credits -5', /--credits must be a whole number .*, 0 or more/],
  ['keys create ada --scopes papers,weather', /--scopes must list areas/],
  ['keys grant local 9999999999999999', /N must be a whole number of at most 15 digits, 1 or more/],
  ['keys create ada --scopes ', /--scopes must list areas/],
  ['add ', /`quantshelf add` does not accept an empty path/],
  ['add a.pdf --bib=', /does not accept an empty path\. Name a file after --bib\.$/],
  ['remove a.pdf ', /`quantshelf remove` does not accept an empty path/],
  ['export markets pme_1', /takes no names/],
  ['export macro --wide --vintages', /--wide has one value per period/],
  ['export macro --out table.json.gz', /\.gz is not an export format/],
  ['export macro --out table.xlsx', /end the name in \.csv, \.json/],
  ['export markets --out events.bib', /BibTeX works only with/],
  ['export macro --as-of 2999-01-01', /--as-of must not be in the future/],
  ['export papers --since 2026-02-01 --until 2026-01-01', /--since must not be after --until/],
  ['export papers --wide', /--wide belongs to `quantshelf export macro`/],
  ['export papers --safe-csv --format json', /--safe-csv works only with CSV/],
  ['help statsu', /unknown command 'statsu'[\s\S]*status\?/],
  ['sync all', /^Unknown area "all": use papers, macro or markets, or none for all three\.$/],
  ['export weather', /^Unknown area "weather": use papers, macro or markets\.$/],
  ['sync --since 2026-02-30', /--since must be a date/],
  ['sync --since 2005-09-15', /--since must not be before 2005-09-16/],
  ['sync --full-text all', /--full-text must be a whole number .*, 1 or more/],
  ['sync --set q-fin&verb=Identify', /Unknown arXiv set "q-fin&verb=Identify"/],
  ['sync macro --since 2026-01-01', /--since belongs to `quantshelf sync papers`/],
  ['sync papers --source kalshi', /--source belongs to `quantshelf sync markets`/],
])('the arguments %j are rejected with a message that matches %s', (line, says) => {
  expect(() => read(line)).toThrow(UsageError);
  expect(() => read(line)).toThrow(says);
});

it.each([
  ['papers --out shelf.bib', 'bibtex'],
  ['markets --out events.JSON', 'json'],
  ['markets --out events.jsonl', 'ndjson'],
  ['macro us.cpi.headline --out us.cpi.headline', 'csv'],
  ['macro --out figures.2026-11-20', 'csv'],
  ['macro --format csv --out figures.json', 'csv'],
])('`quantshelf export %s` selects the format %s', (line, format) => {
  expect(read(`export ${line}`)).toMatchObject({ name: 'export', format });
});

it.each([
  ['--version', /^0\.0\.0-source$/],
  ['--help', /^Usage: quantshelf \[command\][\s\S]*paper_search[\s\S]*QUANTSHELF_HOME/],
  ['help', /^Usage: quantshelf \[command\]/],
  ['call --help', /\n +paper_search +query \[topK\]\n/],
  ['help sync', /^Usage: quantshelf sync[\s\S]*--full-text/],
  ['keys create -h', /^Usage: quantshelf keys create[\s\S]*--scopes/],
])('`quantshelf %s` prints the requested help or version and runs nothing', (line, text) => {
  const printed: string[] = [];
  expect(readInvocation(line.split(' '), (each) => printed.push(each))).toBeNull();
  expect(printed.join('\n')).toMatch(text);
});
