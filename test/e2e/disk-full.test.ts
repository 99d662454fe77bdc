import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeShelf, runHere } from './in-process.ts';
import { books, expectSound, syncedPapers } from './store.ts';
import { aPricedRow, bin, environment, makeHome, node, online, quantshelf } from './support.ts';
import { startWire } from './wire.ts';

// No file can grow beyond a limit, as on a full disk; needs no rights, unlike a small file system.

/** Runs the command after it so that a write beyond `kib` KiB of any file fails. */
const withLimit = (kib: number) => ['sh', '-c', `ulimit -f ${kib * 2}; exec "$@"`, 'sh'];

const call = (home: string, credits: string) => {
  const { name, example } = aPricedRow();
  return runHere(['call', name, JSON.stringify(example)], home, { QUANTSHELF_CREDITS: credits });
};

async function expectRecovered(home: string, granted: number): Promise<void> {
  const ended = await call(home, String(granted));
  expect(ended.code, ended.stderr + ended.stdout).toBe(0);
  expect(books(home).granted).toBe(granted);
  expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
}

describe.skipIf(process.platform === 'win32')('a disk', () => {
  it.each([0, 1_024])(
    'that fills up at the first start, after %i KiB, does not harm the next start',
    async (kib) => {
      const home = makeHome();
      const row = aPricedRow();
      const wire = await startWire(home, { QUANTSHELF_CREDITS: '9' }, withLimit(kib));
      const refused = { error: { code: 'service_unavailable' } };
      expect(await wire.ask(row.name, row.example)).toMatchObject(refused);
      expect(await wire.finish()).toEqual({ code: 0, signal: null });
      await expectRecovered(home, 9);
    },
  );

  it.each([64, 256])(
    'that fills up after %i KiB of the log of 200 paid calls loses no charge',
    async (kib) => {
      const home = makeHome();
      const row = aPricedRow();
      await call(home, '500');
      const [first] = books(home).paid;
      const wire = await startWire(home, {}, withLimit(kib));
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => wire.ask(row.name, row.example)),
      );
      await wire.finish();
      const paid = answers.flatMap((answer) => ('data' in answer ? [answer.meta.requestId] : []));
      const codes = answers.flatMap((answer) => ('error' in answer ? [answer.error.code] : []));
      expect(codes.length, 'calls that met the limit').toBeGreaterThan(0);
      expect(new Set(codes)).toEqual(new Set(['service_unavailable']));
      expect(books(home).paid).toEqual([first, ...paid].sort());
      await expectRecovered(home, 500);
    },
  );

  it('that fills up during three syncs of papers loses no paper', async () => {
    const papers = makePapers(45);
    const arxiv = await startArxiv({ records: papers, pageSize: 5 });
    onTestFinished(() => arxiv.close());
    const home = await makeShelf();
    const env = online([arxiv], 20);
    for (const kib of [48, 96, 384]) {
      const [command = '', ...args] = [...withLimit(kib), node, bin, 'sync', 'papers'];
      const failed = promisify(execFile)(command, args, { env: environment(home, env) });
      await expect(failed, `${kib} KiB`).rejects.toMatchObject({ code: 1 });
      expectSound(home);
    }
    await quantshelf(['sync', 'papers'], home, env);
    expect(syncedPapers(home)).toEqual(papers.map(({ id }) => `arxiv:${id}`));
  });
});
