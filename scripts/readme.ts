import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderSettings } from '../src/cli/host-settings.ts';
import { entryOf, HOSTS } from '../src/cli/hosts.ts';
import { helpOf } from '../src/cli/program.ts';
import type { Operation } from '../src/core/operation.ts';
import { operations } from '../src/operations.ts';

/** The help in README.md: of the program, and of the commands with the most options. */
const HELP: readonly (readonly string[])[] = [[], ['sync'], ['serve'], ['keys', 'create']];

/**
 * `npm run readme`: generates the parts of README.md between markers from the program itself. A test
 * fails if they are out of date.
 */
export function renderReadme(readme: string): string {
  return [
    ['hosts', hostTable()],
    ['tools', toolTable(operations)],
    ['http', `\`\`\`sh\n${operations.map(curlOf).join('\n')}\n\`\`\``],
    ['help', `\`\`\`text\n${HELP.map((names) => helpOf(...names)).join('\n\n')}\n\`\`\``],
  ].reduce((text, [name = '', part = '']) => replacePart(text, name, part), readme);
}

/** The text with the part between the markers `<!-- name -->` and `<!-- /name -->` replaced. */
export function replacePart(text: string, name: string, part: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`README.md has no part "${name}"`);
  return `${text.slice(0, start + open.length)}\n${part}\n${text.slice(end)}`;
}

function hostTable(): string {
  const rows = Object.entries(HOSTS).map(([name, host]) => {
    const { linux, darwin, win32 } = host.files;
    const files = [...new Set([linux, darwin, win32])].map((path) => `\`${shorten(path)}\``);
    return `| ${host.label} | \`quantshelf init ${name}\` | ${files.join(', ')} |`;
  });
  const json = renderSettings(HOSTS.cursor, entryOf(HOSTS.cursor, 'linux'));
  return [
    '| host | what prints its configuration | where it goes |',
    '|---|---|---|',
    ...rows,
    '',
    'Most take this form; the others are printed:',
    '',
    `\`\`\`json\n${json.replace(/\[\s+"-y",\s+"quantshelf"\s+\]/, '["-y", "quantshelf"]')}\n\`\`\``,
  ].join('\n');
}

function shorten(path: string): string {
  return path.replace('{home}', '~').replace('{appdata}', '%APPDATA%');
}

function toolTable(table: readonly Operation[]): string {
  const rows = table.map(({ name, title, price, input }) => {
    const names = Object.keys(input.shape).map((argument) => `\`${argument}\``);
    return `| \`${name}\` | ${title} | ${names.join(', ')} | ${price} |`;
  });
  return ['| tool | what it does | arguments | credits |', '|---|---|---|---|', ...rows].join('\n');
}

/** An operation's example as a shell command; the key is in `KEY`. */
function curlOf({ method, path, example }: Operation): string {
  const given = Object.entries(example);
  const address = given.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    `http://127.0.0.1:8787${path}`,
  );
  const query = given.filter(([name]) => !path.includes(`{${name}}`));
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL('../README.md', import.meta.url));
  writeFileSync(path, renderReadme(readFileSync(path, 'utf8')));
}
