import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { group } from 'd3-array';
import { describe, expect, it } from 'vitest';
import { type CodeFile, parseImports, readCode } from './imports.ts';

const files = readCode('src');

/** Floors from the top down. A room may import from itself and from lower floors. */
const FLOORS: readonly (readonly string[])[] = [
  ['src/main.ts'],
  ['src/cli/'],
  ['src/app/', 'src/operations.ts'],
  ['src/config.ts', 'src/areas/papers/', 'src/areas/macro/', 'src/areas/markets/'],
  ['src/doors/', 'src/accounts/', 'src/search/', 'src/embedding/', 'src/upstream/'],
  ['src/store/'],
  ['src/core/'],
  ['data/'],
];
/** Libraries that files may load, by path prefix; type imports are unrestricted. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  'src/cli/': ['@commander-js/extra-typings', '@decimalturn/toml-patch', 'jsonc-parser', 'yaml'],
  'src/config.ts': ['zod'],
  'src/core/': ['zod', 'uuid', 'fastest-levenshtein', 'env-paths'],
  'src/search/': ['stemmer'],
  'src/store/': ['sqlite-vec'],
  'src/embedding/': ['zod', 'tar', 'ini', '@huggingface/transformers'],
  'src/upstream/': ['undici', 'zod'],
  'src/doors/http/': ['hono', '@hono/node-server'],
  // Code that runs in browsers.
  'src/doors/views/': ['d3-array', 'd3-time', 'temml'],
  'src/doors/': ['zod', '@modelcontextprotocol/server'],
  'src/areas/': ['zod'],
  'src/areas/macro/': ['d3-array'],
  'src/areas/macro/sources/': ['yauzl'],
  'src/areas/papers/': [
    '@rgrove/parse-xml',
    'd3-array',
    'parse5',
    'mdast-util-to-markdown',
    'mdast-util-gfm',
    'mdast-util-math',
    'unpdf',
    '@retorquere/bibtex-parser',
  ],
};
const HEAVY = [
  'src/store/sqlite.ts',
  'better-sqlite3',
  'sqlite-vec',
  '@huggingface/transformers',
  'undici',
  'tar',
  '@rgrove/parse-xml',
  'parse5',
  'unpdf',
  '@retorquere/bibtex-parser',
  'yauzl',
  'hono',
  '@hono/node-server',
];
const MAX_LINES = 300;

interface Rule {
  /** Returns the violations of the rule in a file. */
  faults(file: CodeFile): string[];
  /** Files with one violation each, and one without. */
  bad: readonly (readonly [path: string, text: string])[];
  good: readonly [path: string, text: string];
}

const floorOf = (path: string) =>
  FLOORS.findIndex((rooms) => rooms.some((room) => path.startsWith(room)));
const roomOf = (path: string) => FLOORS.flat().find((room) => path.startsWith(room));
const isOurs = (target: string) => /^(src|data)\//.test(target);
const isOf = (library: string) => (target: string) =>
  target === library || target.startsWith(`${library}/`);

/** Every match of `pattern` in files that are not `allowed`. */
function wordsOutside(allowed: RegExp, pattern: RegExp): Rule['faults'] {
  return ({ path, text }) => (allowed.test(path) ? [] : (text.match(pattern) ?? []));
}

const RULES: Readonly<Record<string, Rule>> = {
  'a room sees only itself and lower floors': {
    faults({ path, imports }) {
      if (roomOf(path) === undefined) return ['has no room'];
      return imports
        .map(({ target }) => target)
        .filter((target) => isOurs(target) && roomOf(target) !== roomOf(path))
        .filter((target) => floorOf(target) <= floorOf(path));
    },
    bad: [
      ['src/main.ts', "import { x } from './helpers.ts';"],
      ['src/app/app.ts', "import type { Terminal } from '../cli/terminal.ts';"],
      ['src/app/app.ts', "import { operations } from '../operations.ts';"],
      ['src/core/run.ts', "import { open } from '../store/open.ts';"],
      ['src/areas/macro/queries.ts', "import type { A } from '../papers/ids.ts';"],
      ['src/embedding/fetch.ts', "const c = await import('../upstream/client.ts');"],
      ['src/doors/mcp.ts', "export { operations } from '../operations.ts';"],
      ['src/areas/crypto/queries.ts', ''],
    ],
    good: ['src/areas/macro/series.ts', "import { d } from './tables.ts';"],
  },
  'a room loads its own libraries only': {
    faults({ path, imports }) {
      const allowed = Object.entries(LIBRARIES)
        .flatMap(([start, libraries]) => (path.startsWith(start) ? libraries : []))
        .map(isOf);
      return imports
        .filter(({ target, typeOnly }) => !typeOnly && !isOurs(target) && !/^node:/.test(target))
        .map(({ target }) => target)
        .filter((target) => !allowed.some((fits) => fits(target)));
    },
    bad: [
      ['src/core/context.ts', "import Database from 'better-sqlite3';"],
      ['src/doors/mcp.ts', "import { Hono } from 'hono';"],
    ],
    good: ['src/core/context.ts', "import type { Database } from 'better-sqlite3';"],
  },
  'only main and config read the environment and the arguments': {
    faults: wordsOutside(/^src\/(main|config)\.ts$/, /process\.(env|argv)|'node:process'/g),
    bad: [
      ['src/cli/status.ts', 'const home = process.env.HOME;'],
      ['src/app/store.ts', "import { argv } from 'node:process';"],
    ],
    good: ['src/main.ts', 'readConfig(process.env);'],
  },
  'nothing is written to the console': {
    faults: wordsOutside(/^$/, /\bconsole\s*\.\s*\w+/g),
    bad: [['src/main.ts', "console.error('x');"]],
    good: ['src/main.ts', "process.stderr.write('x');"],
  },
  'SQL is in search, the store, the accounts, the areas and the doctor, but in no operations, resources, prompts, notices or cards':
    {
      // The doctor queries SQLite's version before there is a store.
      faults: wordsOutside(
        /^src\/(store|search|accounts)\/|^src\/areas\/(?!.*[/-](operations|resources|prompts|notices|card)\.ts$)|^src\/cli\/doctor\.ts$/,
        /\.prepare(?:<[^(]*>)?\(|\.exec\(\s*[`'"]|\b(?:SELECT|INSERT INTO|DELETE FROM)\s+[\w*@]+/g,
      ),
      bad: [
        ['src/areas/macro/operations.ts', 'db.prepare<[], number>(sql).all()'],
        ['src/app/store.ts', "db.exec('VACUUM')"],
        ['src/areas/papers/notices.ts', 'const sql = `SELECT id FROM paper`;'],
      ],
      good: ['src/areas/macro/queries.ts', "db.prepare('SELECT 1').get()"],
    },
  'a failed commit is noticed: one helper begins transactions that write, and no change is read by RETURNING':
    {
      // better-sqlite3 ignores a failed commit after `get`; see the helper.
      faults: wordsOutside(/^src\/store\/connection\.ts$/, /\bRETURNING\b|\.immediate\b/g),
      bad: [
        ['src/accounts/accounts.ts', 'const sql = `UPDATE accounts SET credits = 0 RETURNING 1`;'],
        ['src/areas/macro/deliveries.ts', 'db.transaction(store).immediate();'],
      ],
      good: ['src/areas/macro/deliveries.ts', 'return write(db, store);'],
    },
  'a file that changes rows does so through `write`, or says that it is called inside a transaction':
    {
      faults: ({ text }) =>
        !/\.prepare\(/.test(text) || /\bwrite\(db, |inside (a|the) transaction/.test(text)
          ? []
          : (text.match(/\.run\(/g) ?? []),
      bad: [['src/store/state.ts', "db.prepare('DELETE FROM settings').run();"]],
      good: [
        'src/store/state.ts',
        "const drop = db.prepare('DELETE FROM settings');\nwrite(db, () => drop.run());",
      ],
    },
  'a venue is named only by its source, the list of venues and the configuration': {
    faults: wordsOutside(
      /^src\/(areas\/markets\/sources\/((kalshi|polymarket)(-event|-market)?|venues)|config)\.ts$/,
      /kalshi|polymarket/gi,
    ),
    bad: [
      ['src/areas/markets/find.ts', 'const ADDRESS = /kalshi\\.com/;'],
      ['src/areas/markets/sources/event-card.ts', "const source = z.enum(['polymarket']);"],
      ['src/doors/views/event-view.ts', "const title = 'Kalshi';"],
    ],
    good: ['src/areas/markets/sources/venues.ts', "import { kalshi } from './kalshi.ts';"],
  },
  'only the composition, the commands and the views read the clock': {
    faults: ({ path, text }) =>
      /^src\/(app|cli|doors\/views)\//.test(path)
        ? []
        : (text.match(/new Date\(\)|Date\.now\(|'now'\)/g) ?? []),
    bad: [['src/areas/macro/operations.ts', 'const at = new Date();']],
    good: ['src/app/app.ts', 'const now = () => new Date();'],
  },
  'a file has at most 300 lines': {
    faults: ({ text }) => {
      const lines = text.split('\n').length;
      return lines > MAX_LINES ? [`${lines} lines`] : [];
    },
    bad: [['src/core/long.ts', '\n'.repeat(MAX_LINES)]],
    good: ['src/core/short.ts', '\n'.repeat(MAX_LINES - 1)],
  },
};

const file = (path: string, text: string): CodeFile => ({
  path,
  text,
  imports: parseImports(path, text),
});

describe.each(Object.entries(RULES))('the rule "%s"', (_, rule) => {
  it('holds in every file of src', () => {
    const faults = files.flatMap((each) =>
      rule.faults(each).map((fault) => `${each.path}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('is checked by code that finds violations', () => {
    for (const [path, text] of rule.bad) {
      expect(rule.faults(file(path, text)), path).toHaveLength(1);
    }
    expect(rule.faults(file(...rule.good))).toEqual([]);
  });
});

/** Modules that `entry` reaches through imports that `follows` accepts, with the import path to each. */
function reachedFrom(
  files: readonly CodeFile[],
  entry: string,
  follows: (each: CodeFile['imports'][number]) => boolean,
): Map<string, string> {
  const byPath = new Map(files.map((one) => [one.path, one]));
  const ways = new Map<string, string>();
  const walk = (path: string, way: string) => {
    if (ways.has(path)) return;
    ways.set(path, way);
    for (const each of byPath.get(path)?.imports ?? []) {
      if (follows(each)) walk(each.target, `${way} > ${each.target}`);
    }
  };
  walk(entry, entry);
  return ways;
}

/** Modules that loading `entry` evaluates, through value imports, with the import path to each. */
const evaluatedBy = (entry: string) =>
  reachedFrom(files, entry, ({ typeOnly, dynamic }) => !typeOnly && !dynamic);

function heavyLoadedBy(entry: string): string[] {
  return [...evaluatedBy(entry)]
    .filter(([target]) => HEAVY.some((library) => isOf(library)(target)))
    .map(([, way]) => way);
}

describe('at start', () => {
  const main = files.find(({ path }) => path === 'src/main.ts');
  const lazy = main?.imports.flatMap(({ dynamic, target }) => (dynamic ? [target] : [])) ?? [];

  it('the doctor loads no SQLite library, since it must run where none can be loaded', () => {
    expect(heavyLoadedBy('src/cli/doctor.ts').join()).not.toContain('sqlite');
  });

  it.each(['src/main.ts', ...lazy])('the entry %s evaluates no heavy library', (entry) => {
    expect(heavyLoadedBy(entry)).toEqual([]);
  });

  it('main loads the stdio server lazily', () => {
    expect(lazy).toContain('src/cli/stdio.ts');
  });

  it.each([
    [
      'the program does not load zod before the compile cache is on',
      ...['main', 'cli/stdio'],
      ...[/^zod$/, /zod/],
    ],
    [
      'the stdio server loads no area, since the build provides its lists',
      ...['cli/stdio', 'cli/run-command'],
      ...[/^(src\/(areas|operations)|data)\b/, /src\/operations\.ts.*src\/areas\//],
    ],
    [
      'a call answered from the store loads no upstream client',
      ...['operations', 'areas/markets/sources/kalshi'],
      ...[/^src\/(upstream\/|areas\/markets\/sources\/(kalshi|polymarket))/, /src\/upstream\//],
    ],
  ] as const)('%s', (_, entry, other, unwanted, proof) => {
    const among = (name: string) =>
      [...evaluatedBy(`src/${name}.ts`).keys()].filter((path) => unwanted.test(path));
    expect(among(entry)).toEqual([]);
    expect(among(other).join()).toMatch(proof);
  });

  it.each(['papers', 'macro'])('the network side of %s evaluates no other area', (area) => {
    const evaluated = [...evaluatedBy(`src/app/${area}-online.ts`).keys()];
    const areas = evaluated.flatMap((path) => /^src\/areas\/(\w+)/.exec(path)?.[1] ?? []);
    expect([...new Set(areas)]).toEqual([area]);
  });
});

/** The sibling folders of two paths, below their common folder; null if a path is directly in it. */
function branches(a: string, b: string): readonly [string, string] | null {
  const [one, other] = [dirname(a).split('/'), dirname(b).split('/')];
  const at = one.findIndex((name, index) => name !== other[index]);
  if (at < 0 || other[at] === undefined) return null;
  return [one.slice(0, at + 1).join('/'), other.slice(0, at + 1).join('/')];
}

/**
 * Pairs of folders that import each other, including types: the files of two folders, and everything below
 * two sibling folders. Files directly in `src` count as rooms of their own.
 */
function mutualFolders(files: readonly CodeFile[]): string[] {
  const ways = new Map<string, string>();
  for (const { path, imports } of files) {
    for (const { target } of imports) {
      const pairs = [[dirname(path), dirname(target)] as const, branches(path, target)];
      for (const [from, to] of pairs.flatMap((pair) => (pair === null ? [] : [pair]))) {
        if (from === to || !to.startsWith('src/') || !from.startsWith('src/')) continue;
        ways.set(`${from} > ${to}`, `${path} > ${target}`);
      }
    }
  }
  return [...ways].flatMap(([way, example]) => {
    const [from = '', to = ''] = way.split(' > ');
    const back = ways.get(`${to} > ${from}`);
    return from < to && back !== undefined ? [`${from}, ${to}: ${example}; ${back}`] : [];
  });
}

/** Names that every area has, or that doors and commands share. */
const COMMON =
  /^(operations|queries|tables|notices|sync|refresh|card|find|ingest|starter|prompts|resources|export|news|errors)$/;

it('no two folders of src import each other, at any depth', () => {
  expect(mutualFolders(files)).toEqual([]);
});

it('no two files of src share a name, except for a list of common names', () => {
  const byName = group(files, ({ path }) => basename(path, '.ts'));
  const twice = [...byName].filter(([name, places]) => !COMMON.test(name) && places.length > 1);
  expect(twice.map(([, places]) => places.map(({ path }) => path))).toEqual([]);
});

it('the imports of src never form a cycle', () => {
  const cycles = files.flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) => reachedFrom(files, target, () => true).get(path) ?? []),
  );
  expect(cycles).toEqual([]);
});

it('the imports of src are listed in docs/architecture.md, folder by folder', () => {
  expect(readFileSync('docs/architecture.md', 'utf8')).toContain(listImports(files));
});

/** The folder of a file: in another area, the area; directly in `src`, the file itself. */
function folderOf(path: string, from = ''): string {
  const [, area] = /^src\/(areas\/\w+)\//.exec(path) ?? [];
  if (area !== undefined && !from.startsWith(area)) return area;
  return path.startsWith('data/') ? 'data' : path.replace(/^src\//, '').replace(/\/[^/]*$/, '');
}

/** A line for each folder, with the folders whose files it imports. */
function listImports(files: readonly CodeFile[]): string {
  const folders = new Map<string, string[]>();
  for (const { path, imports } of files) {
    const from = folderOf(path, path.slice('src/'.length));
    const targets = imports.filter(({ target }) => isOurs(target));
    const imported = targets.map(({ target }) => folderOf(target, from));
    folders.set(from, [...(folders.get(from) ?? []), ...imported]);
  }
  return [...folders.keys()]
    .sort()
    .map((from) => {
      const others = new Set(folders.get(from)?.filter((folder) => folder !== from));
      return `${from}: ${[...others].sort().join(', ') || 'nothing'}`;
    })
    .join('\n');
}
