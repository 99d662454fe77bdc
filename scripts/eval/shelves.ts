import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/store/sqlite.ts';
import { bin, type Env, environment, node, online, runProcess } from '../../test/e2e/support.ts';
import { startArxiv } from '../../test/stand-ins/arxiv.ts';
import { startKalshi } from '../../test/stand-ins/kalshi.ts';
import { readRecordedKalshi } from '../../test/stand-ins/kalshi-recorded.ts';
import { startPolymarket } from '../../test/stand-ins/polymarket.ts';
import { linkModels, suppliedModels } from '../model.ts';
import { type Records, readRecords, type ShelfName } from './records.ts';

/** Shelves built by the program's own `sync` from local stand-ins, and cached between runs. */

const CACHE = process.env.QUANTSHELF_EVAL_CACHE ?? join(tmpdir(), 'quantshelf-eval');
/** Times at which a shelf is synced, cards are withdrawn, and questions are asked. */
const TIMES = {
  sync: '2026-11-22T12:00:00Z',
  withdrawal: '2026-11-23T06:00:00Z',
  questions: '2026-11-23T12:00:00Z',
} as const;
const LONG_AGO = '2025-07-01T00:00:00Z';

export interface Shelves {
  models: string;
  /** Rebuilds cached shelves. */
  isFresh: boolean;
  /** Also stores the recorded events of Kalshi beside those of Polymarket. */
  withKalshi: boolean;
}

export function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The directory with the model and its runtime. */
export async function findModels(): Promise<string> {
  const models = await linkModels(suppliedModels());
  if (models === null)
    throw new Error('the model is missing: set QUANTSHELF_MODEL_DIR to a directory that has it');
  return models;
}

/** Variables that set the program's clock. */
export function clockOf(when: keyof typeof TIMES): Env {
  const clock = `
    const Real = Date, shift = Real.parse('${TIMES[when]}') - Real.now();
    globalThis.Date = class extends Real {
      constructor(...given) { given.length ? super(...given) : super(Real.now() + shift); }
      static now() { return Real.now() + shift; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}` };
}

/**
 * The home of a shelf, built unless cached; null without recordings. Cards are withdrawn from a copy by a
 * second sync: papers as on arXiv, events by having closed long ago.
 */
export async function openShelf(
  shelves: Shelves,
  name: ShelfName,
  withdrawn: readonly string[] = [],
): Promise<string | null> {
  const records = readRecords(name);
  if (records === null) return null;
  const home = join(
    CACHE,
    `${name}-${keyOf(shelves.models, [records, withdrawn, shelves.withKalshi])}`,
  );
  if (existsSync(home) && !shelves.isFresh) return home;
  const begun = Date.now();
  const made = `${home}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  if (withdrawn.length === 0) await syncAll(shelves, made, 'sync', records);
  else {
    const whole = await openShelf({ ...shelves, isFresh: false }, name);
    if (whole !== null) cpSync(whole, made, { recursive: true });
    await syncAll(shelves, made, 'withdrawal', withdraw(records, new Set(withdrawn)));
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(made, home);
  const less = withdrawn.length === 0 ? '' : ` without ${withdrawn.length}`;
  log(`built ${name}${less} in ${Math.round((Date.now() - begun) / 1_000)} s`);
  return home;
}

function withdraw({ papers, events }: Records, ids: ReadonlySet<string>): Records {
  const datestamp = TIMES.withdrawal.slice(0, 10);
  const over = { closed: true, endDate: LONG_AGO, closedTime: LONG_AGO };
  return {
    papers: papers
      .filter(({ id }) => ids.has(id))
      .map((paper) => ({ ...paper, deleted: true, datestamp })),
    events: events.map((event) => (ids.has(event.id) ? { ...event, ...over } : event)),
  };
}

async function syncAll(
  shelves: Shelves,
  home: string,
  when: keyof typeof TIMES,
  { papers, events }: Records,
): Promise<void> {
  const run = (args: readonly string[], ...upstreams: { env: Env }[]) =>
    runProgram(args, home, {
      ...online(upstreams, 0),
      ...clockOf(when),
      QUANTSHELF_MODEL_DIR: shelves.models,
    });
  // The first call installs the bundled shelf.
  if (papers.length + events.length === 0) await run(['call', 'macro_indicator_search', '{}']);
  if (papers.length > 0) {
    const arxiv = await startArxiv({ records: papers, pageSize: 500 });
    await run(['sync', 'papers', '--since', '2020-01-01'], arxiv);
    await arxiv.close();
  }
  if (events.length > 0) {
    const polymarket = await startPolymarket(events);
    await run(['sync', 'markets', '--source', 'polymarket'], polymarket);
    const recorded = shelves.withKalshi ? readRecordedKalshi() : null;
    if (recorded !== null) {
      const kalshi = await startKalshi(recorded.series, recorded.events);
      await run(['sync', 'markets', '--source', 'kalshi'], kalshi);
      await kalshi.close();
    }
    await polymarket.close();
  }
}

/** Runs the program and shows its messages. */
async function runProgram(args: readonly string[], home: string, env: Env): Promise<void> {
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const options = { env: environment(home, env), stdio: [...stdio] };
  const { code } = await runProcess(node, [bin, ...args], options);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}

/** A key that changes with the stored data, its tables and the model. */
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
