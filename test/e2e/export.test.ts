import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openForWriting } from '../../src/store/open.ts';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePaper } from '../stand-ins/arxiv-papers.ts';
import { makeShelf, runHere } from './in-process.ts';
import { books } from './store.ts';
import {
  bin,
  environment,
  makeHome,
  node,
  online,
  quantshelf,
  runProcess,
  storeIn,
} from './support.ts';

const isWindows = process.platform === 'win32';
const hasFullDevice = existsSync('/dev/full');
const TITLE = 'Options, "smiles"; Ünïcode 漢字 =SUM(A1)';
let home: string;

/** The program itself creates and syncs the store. One title needs quoting. */
beforeAll(async () => {
  home = makeHome();
  const arxiv = await startArxiv({
    records: [
      makePaper({ id: '2609.00001', title: TITLE }, 0),
      makePaper({ id: '2609.00002', title: '=1+1' }, 1),
    ],
    pageSize: 10,
  });
  // The sync fails only for lack of a model.
  await quantshelf(['sync', 'papers', '--since', '2020-01-01'], home, online([arxiv]));
  await arxiv.close();
});

/** Runs an export; without `--out`, writes to a file and returns its text as stdout. */
async function run(...words: string[]) {
  if (words.includes('--out')) return runHere(['export', ...words], home);
  const out = join(makeHome(), 'export');
  const ended = await runHere(['export', ...words, '--out', out], home);
  return { ...ended, stdout: existsSync(out) ? readFileSync(out, 'utf8') : '' };
}

/** Parses CSV as in RFC 4180, independently of the writer under test. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g);
  for (const [whole, quoted, plain = '', end] of cells) {
    if (whole === '') break;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

/** The rows of a CSV file as records by column name. */
function recordsOf(text: string): Record<string, string>[] {
  const [names = [], ...rows] = parseCsv(text);
  return rows.map((row) => {
    expect(row).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']));
  });
}

describe('exported papers', () => {
  it('are CSV with columns named as in the contract, and keep special characters in a title', async () => {
    const { code, stdout, stderr } = await run('papers');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const papers = recordsOf(stdout);
    expect(papers).toHaveLength(131);
    expect(Object.keys(papers[0] ?? {}).slice(0, 3)).toEqual([
      'paperCardId',
      'sourcePaperId',
      'title',
    ]);
    const synced = papers.find(({ sourcePaperId }) => sourcePaperId === 'arxiv:2609.00001');
    expect(synced?.title).toBe(TITLE);
    expect(JSON.parse(synced?.authors ?? '')).toBeInstanceOf(Array);
  });

  it('contain no spreadsheet formula if --safe-csv is given', async () => {
    const titles = async (...options: string[]) =>
      recordsOf((await run('papers', ...options)).stdout).map(({ title = '' }) => title);
    expect(await titles('arxiv:2609.00002')).toEqual(['=1+1']);
    expect(await titles('arxiv:2609.00002', '--safe-csv')).toEqual(["'=1+1"]);
    const all = (await titles()).map((title) => title.replace(/^(?=[=+@-])/, "'"));
    expect(await titles('--safe-csv')).toEqual(all);
    const macro = await run('macro', 'us.gdp.real_growth');
    expect(macro.stdout).toMatch(/,-\d/);
    expect(await run('macro', 'us.gdp.real_growth', '--safe-csv')).toEqual(macro);
  });

  it('have the same content in a JSON array as in JSON lines', async () => {
    const lines = (await run('papers', '--format', 'ndjson')).stdout.trimEnd().split('\n');
    const list: unknown[] = JSON.parse((await run('papers', '--format', 'json')).stdout);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(list);
    expect(list).toHaveLength(131);
    expect(list).toContainEqual(
      expect.objectContaining({ title: TITLE, authors: expect.any(Array), doi: null }),
    );
  });

  it('are selected by id (in the order given), by publication date or by query', async () => {
    const one = await run('papers', '2510.23150', '--format', 'bibtex');
    expect(one.stdout.match(/^@misc\{/gm)).toHaveLength(1);
    expect(one.stdout).toContain('eprint = {2510.23150}');
    const named = recordsOf((await run('papers', '2609.00001', '2510.23150')).stdout);
    expect(named.map(({ sourcePaperId }) => sourcePaperId)).toEqual([
      ...['arxiv:2609.00001', 'arxiv:2510.23150'],
    ]);
    const days = recordsOf(
      (await run('papers', '--since', '2026-01-01', '--until', '2026-03-31')).stdout,
    );
    expect(days.length).toBeGreaterThan(3);
    expect(
      days.filter(({ published = '' }) => published < '2026-01' || published > '2026-03-31'),
    ).toEqual([]);
    const best = await run('papers', '--query', 'rough volatility', '--format', 'bibtex');
    expect(best.stdout.match(/^@misc\{/gm)?.length).toBeLessThanOrEqual(10);
    expect(best.stdout.toLowerCase()).toContain('volatility');
    const unrelated = await run('papers', '--query', 'best pizza oven for a market');
    expect(unrelated.stderr).toContain('Nothing on the shelf seems related');
  });

  it('cannot include a paper that is not on the shelf, and the error says how to fetch it', async () => {
    const { code, stdout, stderr } = await run('papers', '2510.23150', '2601.56789');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^2601\.56789 is not on this shelf.*paper_read/);
    expect((await run('papers', '9999.99999')).stderr).toMatch(
      /^No paper on this shelf has the id "9999\.99999"/,
    );
  });
});

it('exported markets have a row per outcome, with exact token ids', async () => {
  const { stdout, stderr } = await run('markets');
  expect(stderr).toMatch(/^Ended .*2025-06-24 or later: \d+ markets\. .*not the outcome\.\n$/);
  const outcomes = recordsOf(stdout);
  expect(outcomes.length).toBeGreaterThan(100);
  for (const { outcome_token_id = '', current_probability, market_card_id } of outcomes) {
    expect(outcome_token_id).toMatch(/^\d{60,}$/);
    expect(Number(current_probability)).toBeGreaterThanOrEqual(0);
    expect(market_card_id).toMatch(/^pmm_\d+$/);
  }
  const until = recordsOf((await run('markets', '--until', '2025-08-01')).stdout);
  expect(until.length).toBeLessThan(outcomes.length);
  expect(until.every(({ end_time = '' }) => end_time < '2025-08-02')).toBe(true);
});

describe('an export to a file', () => {
  it("writes the same text as to stdout, and changes only the content of a link's target", async () => {
    const folder = makeHome();
    const [path, link] = [join(folder, 'real.csv'), join(folder, 'link.csv')];
    writeFileSync(path, 'old', { mode: 0o640 });
    symlinkSync(path, link);
    expect(await run('papers', '--out', link)).toMatchObject({ code: 0, stdout: '' });
    for (const stdout of ['-', '/dev/stdout']) {
      expect((await quantshelf(['export', 'papers', '--out', stdout], home)).stdout).toBe(
        readFileSync(path, 'utf8'),
      );
    }
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).sort()).toEqual(['link.csv', 'real.csv']);
  });

  it('changes nothing and costs nothing if the file cannot be written', async () => {
    const folder = makeHome();
    mkdirSync(join(folder, 'taken'));
    const link = join(folder, 'link.csv');
    symlinkSync(storeIn(home), link);
    const before = books(home);
    for (const [out, why] of [
      [link, ' belongs to the store. Choose another file.'],
      [storeIn(home), ' belongs to the store. Choose another file.'],
      [`${storeIn(home)}.lock`, ' belongs to the store. Choose another file.'],
      [
        join(folder, 'none', 'x.bib'),
        ' cannot be written: its directory does not exist. Create it first.',
      ],
      [join(folder, 'taken'), ' is a directory. Name a file in it.'],
      [join(storeIn(home), 'x'), ' cannot be written (ENOTDIR). Name a file elsewhere.'],
    ] as const) {
      const stderr = expect.stringContaining(`${out}${why}`);
      const ended = await run('papers', '--query', 'volatility', '--out', out);
      expect(ended).toMatchObject({ code: 1, stdout: '', stderr });
    }
    expect(books(home)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['link.csv', 'taken']);
  });

  it('removes what a killed export to the same file left half-written more than an hour ago', async () => {
    const folder = makeHome();
    const out = join(folder, 'macro.csv');
    const [old, running, other] = ['macro.csv', 'macro.csv', 'other.csv'].map(
      (name) => `${name}.${randomUUID()}.tmp`,
    );
    const hours = (ago: number) => Date.now() / 1000 - ago * 3600;
    for (const [name = '', ago] of [
      [old, 2],
      [running, 0.5],
      [other, 2],
    ] as const) {
      writeFileSync(join(folder, name), 'date,');
      utimesSync(join(folder, name), hours(ago), hours(ago));
    }
    expect(await run('macro', '--out', out)).toMatchObject({ code: 0 });
    expect(readdirSync(folder).sort()).toEqual(['macro.csv', running, other]);
  });
});

/** A shell command in which $Q is the program. */
const shell = (command: string) =>
  runProcess('bash', ['-c', `set -o pipefail; ${command}`], {
    env: { ...environment(home), Q: `${node} ${bin}` },
  });

describe.skipIf(isWindows)('an export to a pipe or a device', () => {
  it('succeeds even if the reader closes the pipe early', async () => {
    const { code, stdout, stderr } = await shell('$Q export papers | head -n 1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^paperCardId,/);
  });

  it.skipIf(!hasFullDevice)('fails with a one-line error if the disk is full', async () => {
    for (const to of ['> /dev/full', '--out /dev/full']) {
      const { code, stderr } = await shell(`$Q export papers ${to}`);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The disk is full[^\n]* is incomplete\. Free[^\n]*\n$/);
    }
  });
});

it('an export shows one state of the store while another process writes', async () => {
  const own = await makeShelf();
  const writer = openForWriting(storeIn(own));
  let isOver = false;
  const exporting = quantshelf(['export', 'papers'], own).finally(() => {
    isOver = true;
  });
  let round = 0;
  for (; !isOver; round += 1) {
    writer.prepare('UPDATE paper SET comment = @round').run({ round: String(round) });
    await delay(2);
  }
  writer.close();
  const { code, stdout } = await exporting;
  expect(code).toBe(0);
  expect(round).toBeGreaterThan(5);
  expect(new Set(recordsOf(stdout).map(({ comment }) => comment)).size).toBe(1);
});
