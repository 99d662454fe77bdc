import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { books } from './books.ts';
import { inspect } from './error-cases.ts';
import { makeShelf, runHere } from './in-process.ts';
import {
  aPricedRow,
  bin,
  type Env,
  envelope,
  environment,
  makeHome,
  node,
  quantshelf,
  WITHOUT_MODEL,
} from './support.ts';
import { resultOf, Wire } from './wire.ts';

// No file can grow beyond a limit, as on a full disk; needs no rights, unlike a small file system.

/** Runs the command after it so that a write beyond `kib` KiB of any file fails. */
const withLimit = (kib: number) => ['sh', '-c', `ulimit -f ${kib * 2}; exec "$@"`, 'sh'];

async function expectSound(home: string, granted: number): Promise<void> {
  const row = aPricedRow();
  const ended = await runHere(['call', row.name, JSON.stringify(row.example)], home);
  expect(ended.code, ended.stderr + ended.stdout).toBe(0);
  const { balance, spent } = books(home);
  expect((balance ?? 0) + spent).toBe(granted);
  expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
}

describe.skipIf(process.platform === 'win32')('a disk that is full', () => {
  it.each([0, 64, 1_024, 8_192])('at the first start, after %i KiB', async (kib) => {
    const home = makeHome();
    const row = aPricedRow();
    const wire = new Wire(home, { QUANTSHELF_CREDITS: '9' }, withLimit(kib));
    await wire.initialize();
    const { structuredContent } = resultOf(await wire.call(1, row.name, row.example));
    expect(structuredContent).toMatchObject({ error: { code: 'service_unavailable' } });
    expect(await wire.finish()).toEqual({ code: 0, signal: null });
    const next = await runHere(['call', row.name, JSON.stringify(row.example)], home, {
      QUANTSHELF_CREDITS: '9',
    });
    expect(next.code, next.stderr).toBe(0);
    await expectSound(home, 9);
  });

  it.each([64, 128, 256])('among 200 paid calls, after %i KiB of their log', async (kib) => {
    const home = makeHome();
    const row = aPricedRow();
    const credits = { QUANTSHELF_CREDITS: '500' };
    await runHere(['call', row.name, JSON.stringify(row.example)], home, credits);
    const wire = new Wire(home, {}, withLimit(kib));
    await wire.initialize();
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, id) =>
        envelope.parse(resultOf(await wire.call(id, row.name, row.example)).structuredContent),
      ),
    );
    await wire.finish();
    const paid = answers.flatMap((answer) => ('data' in answer ? [answer.meta.requestId] : []));
    const codes = answers.flatMap((answer) => ('error' in answer ? [answer.error.code] : []));
    expect(codes.length, 'calls that met the limit').toBeGreaterThan(0);
    expect(new Set(codes)).toEqual(new Set(['service_unavailable']));
    const { ledger } = books(home);
    expect(
      ledger
        .slice(1)
        .map(({ request_id }) => request_id)
        .sort(),
    ).toEqual(paid.sort());
    await expectSound(home, 500);
  });

  it('in four syncs of 45 papers', async () => {
    const papers = makePapers(45);
    const arxiv = await startArxiv({ records: papers, pageSize: 5 });
    onTestFinished(() => arxiv.close());
    const home = await makeShelf();
    const env: Env = {
      ...arxiv.env,
      QUANTSHELF_OFFLINE: '0',
      QUANTSHELF_PACE_MS: '20',
      ...WITHOUT_MODEL,
    };
    for (const kib of [48, 96, 192, 384]) {
      const [command = '', ...args] = [...withLimit(kib), node, bin, 'sync', 'papers'];
      const failed = promisify(execFile)(command, args, { env: environment(home, env) });
      await expect(failed, `${kib} KiB`).rejects.toMatchObject({ code: 1 });
      inspect(home, (db) => {
        expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
        expect(db.pragma('foreign_key_check')).toEqual([]);
      });
    }
    await quantshelf(['sync', 'papers'], home, env);
    const held = inspect(home, (db) =>
      db
        .prepare<[], string>("SELECT source_id FROM paper WHERE source_id LIKE 'arxiv:2609.00%'")
        .pluck()
        .all(),
    );
    expect(held.sort()).toEqual(papers.map(({ id }) => `arxiv:${id}`).sort());
  });
});
