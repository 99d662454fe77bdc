import { describe, expect, it } from 'vitest';
import { type Import, parseImports, readSources, type SourceFile } from './imports.ts';

const sources = readSources('src');

/** Rooms, and the rooms each may import from. Files beside the rooms compose and may see all. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/core/': ['src/core/'],
  'src/store/': ['src/core/', 'src/store/'],
  'src/embedding/': ['src/core/', 'src/embedding/'],
  'src/upstream/': ['src/core/', 'src/upstream/'],
  'src/accounts/': ['src/core/', 'src/store/', 'src/accounts/'],
  'src/doors/': ['src/core/', 'src/doors/'],
  'src/areas/papers/': ['src/core/', 'src/store/', 'src/areas/papers/', 'data/'],
  'src/areas/macro/': ['src/core/', 'src/store/', 'src/areas/macro/', 'data/'],
  'src/areas/markets/': ['src/core/', 'src/store/', 'src/areas/markets/', 'data/'],
};
const HEAVY = ['better-sqlite3', 'sqlite-vec', '@huggingface/transformers', 'undici', 'tar'];
const MAX_LINES = 300;

function breaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const room = Object.keys(ROOMS).find((name) => file.path.startsWith(name));
    return file.imports.flatMap((each) => breachOf(file.path, room, each));
  });
}

function breachOf(path: string, room: string | undefined, { target }: Import): string[] {
  const ours = target.startsWith('src/') || target.startsWith('data/');
  if (!ours || room === undefined) return [];
  const allowed = ROOMS[room] ?? [];
  if (!allowed.some((name) => target.startsWith(name))) return [`${path} imports ${target}`];
  const reads = /\/(operations|queries)\.ts$/.test(path);
  const writes = /\/(source|ingest)\.ts$/.test(target);
  return reads && writes ? [`${path} reads, but imports ${target}`] : [];
}

/** Files that a start evaluates: everything within reach of value imports from `entry`. */
function evaluatedAtStart(entry: string): Map<string, string> {
  const reached = new Map<string, string>();
  const walk = (path: string, from: string) => {
    if (reached.has(path)) return;
    reached.set(path, from);
    for (const each of sources.find((file) => file.path === path)?.imports ?? []) {
      if (!each.typeOnly && !each.dynamic) walk(each.target, path);
    }
  };
  walk(entry, 'start');
  return reached;
}

describe('the map of the house', () => {
  it('lets imports run in one direction only', () => {
    expect(breaches(sources)).toEqual([]);
  });

  it('would show a breach', () => {
    const bad = (path: string, text: string) => ({ path, text, imports: parseImports(path, text) });
    expect(
      breaches([
        bad('src/core/run.ts', "import { open } from '../store/open.ts';"),
        bad('src/areas/macro/queries.ts', "import type { A } from '../papers/ids.ts';"),
        bad('src/areas/macro/operations.ts', "import { b } from './ingest.ts';"),
        bad('src/embedding/fetch.ts', "const c = await import('../upstream/http.ts');"),
        bad('src/areas/macro/ingest.ts', "import { d } from './tables.ts';"),
      ]),
    ).toHaveLength(4);
  });

  it('has room for every folder of src', () => {
    const nested = sources.filter(({ path }) => path.split('/').length > 2);
    const roomless = nested.filter(
      ({ path }) =>
        !path.startsWith('src/commands/') &&
        !Object.keys(ROOMS).some((room) => path.startsWith(room)),
    );
    expect(roomless.map(({ path }) => path)).toEqual([]);
  });

  it('keeps heavy libraries out of the start', () => {
    const reached = evaluatedAtStart('src/main.ts');
    expect(reached.has('src/operations.ts')).toBe(true);
    expect(HEAVY.filter((library) => reached.has(library))).toEqual([]);
  });

  it('keeps files to a screen or two', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > MAX_LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('reads environment and arguments in the composition only', () => {
    const readers = sources.filter(({ text }) => /process\.(env|argv)/.test(text));
    expect(readers.map(({ path }) => path)).toEqual(['src/main.ts']);
  });

  it('keeps SQL in queries, ingest, tables, the store and the accounts', () => {
    const allowed =
      /^src\/(store|accounts)\/|\/(queries|ingest|tables)\.ts$|^src\/commands\/doctor\.ts$/;
    const sql = /\.prepare(?:<[^(]*>)?\(|\.exec\(\s*[`']/;
    const strays = sources.filter(({ path, text }) => !allowed.test(path) && sql.test(text));
    expect(strays.map(({ path }) => path)).toEqual([]);
  });

  it('takes calendar time from the clock of the composition', () => {
    const clocks = sources.filter(
      ({ path, text }) =>
        /^src\/[^/]+\/.*/.test(path) && /new Date\(\)|Date\.now\(|'now'\)/.test(text),
    );
    expect(clocks.map(({ path }) => path)).toEqual([]);
  });
});
