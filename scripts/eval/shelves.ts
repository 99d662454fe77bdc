import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/store/sqlite.ts';
import { startArxiv } from '../../test/stand-ins/arxiv.ts';
import { startPolymarket } from '../../test/stand-ins/polymarket.ts';
import { givenModels, linkModels } from '../model.ts';
import { type Records, readRecords, type ShelfName } from './records.ts';

/** Shelves made by the program's own `sync` from local stand-ins, and kept between runs. */

const CACHE = process.env.QUANTSHELF_EVAL_CACHE ?? join(tmpdir(), 'quantshelf-eval');
export const PROGRAM = 'bin/quantshelf.js';
/** When all questions are asked: "by the end of the year" depends on it. */
const ASKED_AT = '2026-11-23T12:00:00Z';
/** Shifts the clock of a child process. */
const CLOCK = `data:text/javascript,${encodeURIComponent(`
  const Real = Date, shift = Real.parse('${ASKED_AT}') - Real.now();
  globalThis.Date = class extends Real {
    constructor(...given) { given.length ? super(...given) : super(Real.now() + shift); }
    static now() { return Real.now() + shift; }
  };`)}`;
const LONG_AGO = '2025-07-01T00:00:00Z';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

export interface Shelves {
  models: string;
  /** Builds shelves anew that are in the cache. */
  isFresh: boolean;
  log(line: string): void;
}

/** Where the model and its runtime are; the runtime is downloaded if need be. */
export async function findModels(): Promise<string> {
  const models = await linkModels(givenModels());
  if (models === null) throw new Error('no model: QUANTSHELF_MODEL_DIR must name a copy of it');
  return models;
}

/** The environment of the program with a home of its own: no network, and the clock of the questions. */
export function environment(home: string, more: Readonly<Record<string, string>>) {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(QUANTSHELF_|FRED_|NODE_OPTIONS$)/.test(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(inherited),
    NODE_OPTIONS: `--import=${CLOCK}`,
    QUANTSHELF_HOME: home,
    QUANTSHELF_CREDITS: '1000000000',
    QUANTSHELF_PACE_MS: '0',
    QUANTSHELF_NPM_URL: NOWHERE,
    QUANTSHELF_HUB_URL: NOWHERE,
    QUANTSHELF_POLYMARKET_URL: NOWHERE,
    ...more,
  };
}

/**
 * The home of a shelf, built if it is not in the cache. The cards of the withdrawn ids are taken from a
 * copy by a second sync: papers are withdrawn as arXiv withdraws them, events were closed long ago. Null
 * without recordings.
 */
export async function openShelf(
  shelves: Shelves,
  name: ShelfName,
  withdrawn: readonly string[] = [],
): Promise<string | null> {
  const records = readRecords(name);
  if (records === null) return null;
  const home = join(CACHE, `${name}-${keyOf(shelves.models, [records, withdrawn])}`);
  if (existsSync(home) && !shelves.isFresh) return home;
  const begun = Date.now();
  const made = `${home}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  if (withdrawn.length === 0) await syncAll(shelves, made, records);
  else {
    const whole = await openShelf({ ...shelves, isFresh: false }, name);
    if (whole !== null) cpSync(whole, made, { recursive: true });
    await syncAll(shelves, made, withdraw(records, new Set(withdrawn)));
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(made, home);
  const less = withdrawn.length === 0 ? '' : ` without ${withdrawn.length}`;
  shelves.log(`built ${name}${less} in ${Math.round((Date.now() - begun) / 1_000)} s`);
  return home;
}

function withdraw({ papers, events }: Records, ids: ReadonlySet<string>): Records {
  const datestamp = ASKED_AT.slice(0, 10);
  const over = { closed: true, endDate: LONG_AGO, closedTime: LONG_AGO };
  return {
    papers: papers
      .filter(({ id }) => ids.has(id))
      .map((paper) => ({ ...paper, deleted: true, datestamp })),
    events: events.map((event) => (ids.has(event.id) ? { ...event, ...over } : event)),
  };
}

async function syncAll(shelves: Shelves, home: string, { papers, events }: Records): Promise<void> {
  if (papers.length > 0) {
    const arxiv = await startArxiv({ records: papers, pageSize: 500 });
    await sync(shelves, home, ['papers', '--since', '2020-01-01'], arxiv.env);
    await arxiv.close();
  }
  if (events.length > 0) {
    const polymarket = await startPolymarket(events);
    await sync(shelves, home, ['markets'], polymarket.env);
    await polymarket.close();
  }
}

async function sync(
  { models, log }: Shelves,
  home: string,
  args: readonly string[],
  urls: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'sync', ...args], {
    env: environment(home, { ...urls, QUANTSHELF_MODEL_DIR: models }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const listen = (chunk: Buffer) => {
    said += String(chunk);
    for (const line of String(chunk).split('\n')) if (line.startsWith('vectors')) log(line);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`sync ${args.join(' ')}: ${said}`);
}

/** Changes with what is stored, with the tables that hold it and with the model. */
function keyOf(models: string, content: unknown): string {
  const starter = new Database('dist/starter.sqlite', { readonly: true });
  const tables = starter.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all();
  starter.close();
  const files = readdirSync(models, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.onnx'))
    .map((path) => [path, statSync(join(models, path)).size]);
  const key = JSON.stringify([content, tables, files]);
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
