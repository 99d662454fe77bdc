import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { installLink, PAGES, renderPage } from '../../../scripts/readme.ts';
import { entryOf, HOSTS } from '../../../src/cli/hosts.ts';
import { helpOf, readInvocation } from '../../../src/cli/program.ts';
import { operations, prompts, resources } from '../../../src/operations.ts';
import { starterStore } from '../../starter.ts';

const pages = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const GENERATED = /<!-- (\w+) -->[\s\S]*?<!-- \/\1 -->/g;
/** The pages without the parts that `npm run readme` generates. */
const written = pages.map(({ path, text }) => ({ path, text: text.replace(GENERATED, '') }));
/** The names of the commands in a help text. */
const namesIn = (help: string) =>
  [...help.replace(/^[\s\S]*\nCommands:\n|\n\n[\s\S]*$/g, '').matchAll(/^ {2}([a-z]+)/gm)].flatMap(
    ([, name]) => (name === 'help' || name === undefined ? [] : name),
  );
/** The words of each command that can be run. */
const commands = namesIn(helpOf()).flatMap((name) =>
  name === 'keys' ? namesIn(helpOf(name)).map((part) => [name, part]) : [[name]],
);
const help = [[], ...commands].map((names) => helpOf(...names)).join('\n');
const strings = z.record(z.string(), z.string());
const { scripts, optionalDependencies } = z
  .object({ scripts: strings, optionalDependencies: strings })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

it.each(Object.keys(PAGES))('%s is as `npm run readme` would write it', async (path) => {
  const text = readFileSync(path, 'utf8');
  expect(renderPage(path, text, await starterStore())).toBe(text);
});

it.each([
  ['cursor', 'https://cursor.com/en/install-mcp', 'base64'],
  ['vscode', 'https://vscode.dev/redirect/mcp/install', 'utf8'],
] as const)("the install link for %s contains the server's entry", (host, address, encoding) => {
  const link = new URL(installLink(HOSTS[host]) ?? '');
  expect(link.origin + link.pathname).toBe(address);
  expect(link.searchParams.get('name')).toBe('quantshelf');
  const config = Buffer.from(link.searchParams.get('config') ?? '', encoding).toString();
  expect(JSON.parse(config)).toEqual(entryOf(HOSTS[host], 'linux'));
});

/** Placeholders for arguments in prose, with sample values. */
const VALUES: Readonly<Record<string, string>> = {
  HOST: 'cursor',
  FILE: 'shelf.sqlite',
  NAME: 'notebook',
  N: '100',
  KEY: 'qs_',
  '…': 'papers',
};

/** The commands in a page, split into words by the shell rules that the pages use. */
function commandsIn(text: string): string[][] {
  const code = [...text.matchAll(/```sh\n([\s\S]*?)```|`([^`\n]+)`/g)].flatMap(
    ([, block, inline = '']) => block?.split('\n') ?? [inline],
  );
  return code
    .map((line) => /^(?:\$ )?(?:npx -y |node bin\/)?quantshelf(?:\.js)?( .*)?$/.exec(line))
    .filter((match) => match !== null)
    .map(([, rest = '']) =>
      [...rest.replace(/\s#.*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, word = '']) => quoted ?? VALUES[word] ?? word,
      ),
    );
}

/** Why the program would reject these words; undefined if it accepts them. */
function refusal(words: readonly string[]): string | undefined {
  const name = words.join(' ');
  // In prose a command may appear without its arguments.
  if (commands.some((command) => `${command.join(' ')} `.startsWith(`${name} `.trimStart()))) {
    return undefined;
  }
  try {
    readInvocation(words, () => {});
    return undefined;
  } catch (error) {
    return `${name}: ${String(error).split('\n')[0]}`;
  }
}

it('messages mention only commands and options that the program accepts', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join('src', path), 'utf8'));
  // Inside a template string backticks are escaped, and inserted values are unknown.
  const texts = files.map((text) =>
    text.replaceAll('\\`', '`').replace(/`[^`\n]*\$\{[^`\n]*`/g, ''),
  );
  const commands = texts.flatMap(commandsIn);
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.flatMap((words) => refusal(words) ?? [])).toEqual([]);
});

describe.each(written)('$path', ({ path, text }) => {
  it.runIf(path.startsWith('docs/'))('begins by naming its readers', () => {
    expect(text.split('\n\n')[1]).toMatch(/^For (those|users|contributors)/);
  });

  it('names only commands and options that the program accepts', () => {
    expect(commandsIn(text).flatMap((words) => refusal(words) ?? [])).toEqual([]);
    const options = text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    const mentions = [help, ...Object.keys(scripts).map(codeOf)].join('\n');
    const unknown = options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(mentions));
    // Options of npm, git, vitest, Claude Code and Docker that the pages show.
    const others = [
      ...['--scope', '--global', '--project', '--no-git-tag-version', '--dry-run'],
      ...['--tag', '--rm', '--volume', '--detach', '--name', '--publish', '--env'],
    ];
    expect(unknown.filter((option) => !others.includes(option))).toEqual([]);
  });

  it('has no npm command inside a shell comment', () => {
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const comments = blocks.flatMap((block) => block.match(/#.*/g) ?? []);
    expect(comments.filter((comment) => /\bnpm (?:ci|start|test|run)\b/.test(comment))).toEqual([]);
  });

  it('names only settings, tools, scripts and files that exist', () => {
    const settings = text.match(/\b(QUANTSHELF|FRED)_[A-Z_]+\b|\b[A-Z]+_PROXY\b/g) ?? [];
    const tools = text.match(/`(paper|macro_indicator|prediction_market)_\w+`/g) ?? [];
    // A view of the store has a name like a tool's.
    const names = [...operations.map(({ name }) => `\`${name}\``), '`paper_sections`'];
    const run = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    const files = [...text.matchAll(/`((?:src|test|data|scripts|docs)\/[\w./-]*)`/g)];
    expect([
      ...settings.filter((name) => !help.includes(name)),
      ...tools.filter((name) => !names.includes(name)),
      ...run.filter((name) => scripts[name] === undefined),
      ...files.map(([, file = '']) => file).filter((file) => !existsSync(file)),
    ]).toEqual([]);
  });

  it('links only to existing pages and headings', () => {
    const dead = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].filter(
      ([, target = '', heading]) => {
        const file = target === '' ? path : join(dirname(path), target);
        if (!existsSync(file)) return true;
        return heading !== undefined && !headingsOf(file).includes(heading);
      },
    );
    expect(dead.map(([link]) => link)).toEqual([]);
  });
});

it('the pages name every command, tool, resource, prompt and setting', () => {
  const all = pages.map(({ text }) => text).join('\n');
  const config = readFileSync('src/config.ts', 'utf8');
  const settings = config.match(/(?<=')(?:QUANTSHELF|FRED)_[A-Z_]+(?=')/g) ?? [];
  expect(settings.length).toBeGreaterThan(15);
  const names = [
    ...settings,
    ...operations.map(({ name }) => `\`${name}\``),
    ...resources.map(({ uri }) => `\`${uri}\``),
    ...prompts.map(({ name }) => `\`${name}\``),
    ...commands.map((words) => `quantshelf ${words.join(' ')}`),
  ];
  expect(names.filter((name) => !all.includes(name))).toEqual([]);
});

it('pages and messages name only versions of better-sqlite3 that the package accepts', () => {
  const texts = [...pages.map(({ text }) => text), readFileSync('src/store/sqlite.ts', 'utf8')];
  const named = texts.flatMap((text) => text.match(/(?<=better-sqlite3@)[\d.]+\d/g) ?? []);
  expect(named.length).toBeGreaterThan(1);
  const taken = optionalDependencies['better-sqlite3']?.split(' || ');
  expect(named.filter((version) => taken?.includes(version) !== true)).toEqual([]);
});

/** The source of the TypeScript file that a package script runs. */
function codeOf(script: string): string {
  const file = /scripts\/[\w/-]+\.ts/.exec(scripts[script] ?? '')?.[0];
  return file === undefined ? '' : readFileSync(file, 'utf8');
}

/** The anchors that GitHub gives the headings of a page. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
