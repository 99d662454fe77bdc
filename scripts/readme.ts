import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { INDICATORS } from '../src/areas/macro/facts/indicators.ts';
import {
  entryOf,
  FOLDERS,
  GENERIC_HOST,
  HOSTS,
  type Host,
  renderSettings,
  SERVER_NAME,
} from '../src/cli/hosts.ts';
import { helpOf } from '../src/cli/program.ts';
import type { Operation } from '../src/core/operation.ts';
import { operations, prompts, resources } from '../src/operations.ts';
import { Database } from '../src/store/sqlite.ts';
import { readStarterEvents } from './starter/events.ts';
import { readStarterPapers } from './starter/papers.ts';

const hosts: [string, Host][] = Object.entries(HOSTS);

const LINKS = new Map<Host, (entry: string) => string>([
  [
    HOSTS.cursor,
    (entry) => {
      const config = Buffer.from(entry).toString('base64');
      return `https://cursor.com/en/install-mcp?${new URLSearchParams({ name: SERVER_NAME, config })}`;
    },
  ],
  [
    HOSTS.vscode,
    (entry) =>
      `https://vscode.dev/redirect/mcp/install?name=${SERVER_NAME}&config=${encodeURIComponent(entry)}`,
  ],
]);

/** Pages with generated parts, and the function that writes each part, by name. */
export const PAGES: Readonly<
  Record<string, Readonly<Record<string, (starter: string) => string>>>
> = {
  'README.md': { hosts: hostTable, tools: () => toolTable(operations), shelf: shelfTable },
  'docs/hosts.md': { links: linksOfHosts, configuration: configurationOfHosts },
  'docs/http.md': { http: () => `\`\`\`sh\n${operations.map(curlOf).join('\n')}\n\`\`\`` },
  'docs/resources.md': { resources: resourceTable, prompts: promptTable },
  'docs/command-line.md': {
    help: () => `\`\`\`text\n${helpOf()}\n\`\`\``,
  },
};

/**
 * The text of a page with its generated parts, between markers, regenerated from the program itself and the
 * starter store at `starter`. A test fails if they are out of date; `npm run readme` updates them.
 */
export function renderPage(page: string, text: string, starter: string): string {
  return Object.entries(PAGES[page] ?? {}).reduce(
    (before, [name, write]) => replacePart(before, name, write(starter)),
    text,
  );
}

/** The text with the part between the markers `<!-- name -->` and `<!-- /name -->` replaced. */
export function replacePart(text: string, name: string, part: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`the page has no part "${name}"`);
  return `${text.slice(0, start + open.length)}\n${part}\n${text.slice(end)}`;
}

function hostTable(): string {
  const [first = '', ...others] = hosts.map(([name]) => name);
  const names = others.map((name) => `\`${name}\``);
  return [
    `\`\`\`sh\nnpx -y quantshelf init ${first} --write\n\`\`\`\n`,
    `For another host put its name there: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}. Or open a link:`,
    `${linksOfHosts()}.`,
  ].join('\n');
}

function linksOfHosts(): string {
  return hosts.flatMap(([, host]) => linkOf(host) ?? []).join(' · ');
}

function linkOf(host: Host): string | undefined {
  const address = installLink(host);
  return address && `[Add to ${host.label}](${address})`;
}

/**
 * The URL that asks a host to list the server when opened in a browser, on any platform; undefined if the
 * host has none.
 */
export function installLink(host: Host): string | undefined {
  return LINKS.get(host)?.(JSON.stringify(entryOf(host, 'linux')));
}

/** Where each host keeps its settings, then what most of them list. */
function configurationOfHosts(): string {
  const rows = hosts.map(([name, { label, files }]) => {
    const systems = [
      ['macOS', files.darwin],
      ['Windows', files.win32],
    ] as const;
    const others = systems
      .filter(([, path]) => shorten(path) !== shorten(files.linux))
      .map(([system, path]) => `; ${system} \`${shorten(path)}\``);
    return `| ${label} | \`${name}\` | \`${shorten(files.linux)}\`${others.join('')} |`;
  });
  const generic = renderSettings(GENERIC_HOST, entryOf(GENERIC_HOST, 'linux'));
  return [
    '| host | NAME | settings |',
    '|---|---|---|',
    ...rows,
    '',
    'Most hosts list this; `init` prints the form of each:',
    '',
    `\`\`\`json\n${generic.replace(/\[\s+(.*)\n\s+(.*)\n\s+\]/, '[$1 $2]')}\n\`\`\``,
  ].join('\n');
}

function shorten(path: string): string {
  return path
    .replace('{appdata}', '%APPDATA%')
    .replace(/\{(\w+)\}/, (whole, name: string) => FOLDERS[name] ?? whole)
    .replace('{home}', '~');
}

function toolTable(table: readonly Operation[]): string {
  const rows = table.map(({ name, title, price, input }) => {
    const names = Object.keys(input.shape).map((argument) => `\`${argument}\``);
    return `| \`${name}\` | ${title} | ${names.join(', ')} | ${price} |`;
  });
  return ['| tool | what it does | arguments | credits |', '|---|---|---|---|', ...rows].join('\n');
}

function resourceTable(): string {
  const rows = resources.map(
    ({ uri, description, mimeType, area }) =>
      `| \`${uri}\` | ${description} | \`${mimeType}\` | ${scopeOf(area)} |`,
  );
  return ['| URI | what it is | type | scope |', '|---|---|---|---|', ...rows].join('\n');
}

function scopeOf(area: string | null): string {
  return area === null ? 'any' : `\`${area}\``;
}

function promptTable(): string {
  const rows = prompts.map(({ name, description, arguments: all, area }) => {
    const names = Object.entries(all).map(
      ([each, { isRequired }]) => `\`${each}\`${isRequired ? '' : ' (optional)'}`,
    );
    return `| \`${name}\` | ${description} | ${names.join(', ')} | ${scopeOf(area)} |`;
  });
  return ['| prompt | what it does | arguments | scope |', '|---|---|---|---|', ...rows].join('\n');
}

/** The contents of the package, and their age. */
function shelfTable(store: string): string {
  const starter = fileURLToPath(new URL('../data/starter', import.meta.url));
  const papers = readStarterPapers(`${starter}/papers`);
  // An arXiv id begins with its month: 2503.14158.
  const months = papers.map(({ id }) => `20${id.slice(0, 2)}-${id.slice(2, 4)}-01`).sort();
  const ends = lastDates(store);
  const observations = ends.reduce((sum, { count }) => sum + count, 0).toLocaleString('en-US');
  const events = readStarterEvents(starter);
  const markets = events.flatMap(({ event }) => event.markets).length;
  const pulled = events.map(({ pulledAt }) => pulledAt).sort();
  return [
    '| area | contents | as of |',
    '|---|---|---|',
    `| papers | ${papers.length}: digests of the abstracts and notes on them by us, no full texts | ${monthOf(months[0])} to ${monthOf(months.at(-1))} |`,
    `| macro | ${observations} observations of ${ends.length} indicators; ${INDICATORS.length - ends.length} have none | series end between ${monthOf(ends[0]?.date)} and ${monthOf(ends.at(-1)?.date)} |`,
    `| prediction markets | ${events.length} events, ${markets} markets | **${dayOf(pulled.at(-1))}: examples, not live odds** |`,
  ].join('\n');
}

/** The last date and the number of dates of each series in a starter store, earliest first. */
function lastDates(store: string) {
  const db = new Database(store, { readonly: true });
  try {
    return db
      .prepare<[], { date: string; count: number }>(
        'SELECT max(date) AS date, count(*) AS count FROM macro_latest GROUP BY series_id ORDER BY 1',
      )
      .all();
  } finally {
    db.close();
  }
}

const monthOf = (date = '') => format(date, { month: 'long', year: 'numeric' });
const dayOf = (date = '') => format(date, { day: 'numeric', month: 'long', year: 'numeric' });

function format(date: string, parts: Intl.DateTimeFormatOptions): string {
  return new Date(date).toLocaleDateString('en-GB', { ...parts, timeZone: 'UTC' });
}

/** An operation's example as a shell command; the key is in `KEY`. */
function curlOf({ method, path, example }: Operation): string {
  const args = Object.entries(example);
  const address = args.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    `http://127.0.0.1:8787${path}`,
  );
  const query = args.filter(([name]) => !path.includes(`{${name}}`));
  const curl = `curl -s -H "Authorization: Bearer $KEY" ${address}`;
  if (method === 'POST') {
    return `${curl} \\\n  -H 'Content-Type: application/json' -d ${quote(JSON.stringify(example))}`;
  }
  if (query.length === 0) return curl;
  const words = query.map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`);
  return `${curl} \\\n  -G ${words.join(' ')}`;
}

/** Quotes any text as one word for the shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Rewrites the generated parts of a page. */
function writePage(page: string): void {
  const path = fileURLToPath(new URL(`../${page}`, import.meta.url));
  const starter = fileURLToPath(new URL('../dist/starter.sqlite', import.meta.url));
  writeFileSync(path, renderPage(page, readFileSync(path, 'utf8'), starter));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) Object.keys(PAGES).forEach(writePage);
