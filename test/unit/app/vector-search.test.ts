import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { runDoctor } from '../../../src/cli/doctor.ts';
import { readConfig } from '../../../src/config.ts';
import { indexText, indexVectors } from '../../../src/search/profile.ts';
import { openForWriting, openReadOnly } from '../../../src/store/open.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { createSearchIndex, makeProfile, searchWith } from '../../search.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { axis } from '../../vectors.ts';

/** For the rest of a test, makes sqlite-vec believe that it has no build for this machine. */
function leaveSupportedPlatforms(): void {
  const { arch } = process;
  const require = createRequire(import.meta.url);
  const pretend = (value: string) => {
    Object.defineProperty(process, 'arch', { value });
    // It reads the architecture on load.
    delete require.cache[require.resolve('sqlite-vec')];
  };
  pretend('riscv64');
  onTestFinished(() => pretend(arch));
}

async function open() {
  const home = temporaryDirectory();
  const starterPath = join(home, 'made-up.sqlite');
  new Database(starterPath).exec('PRAGMA user_version = 1').close();
  const logged: string[] = [];
  const app = await openApp(
    readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1', QUANTSHELF_MODEL_DIR: home }),
    { mode: 'one-shot', starterPath, log: (line) => logged.push(line) },
    new AbortController().signal,
  );
  onTestFinished(() => app.close());
  return { app, logged };
}

it('a query gets no vector where sqlite-vec does not load, and the cause is logged', async () => {
  leaveSupportedPlatforms();
  const { app, logged } = await open();
  expect(await app.context.embedQuery('x')).toEqual({
    unavailable: expect.stringMatching(/^Lexical search only: sqlite-vec/),
  });
  expect(logged.join('\n')).toContain('Unsupported platform');
});

it('doctor reports whether sqlite-vec loads', async () => {
  const config = readConfig({ QUANTSHELF_HOME: temporaryDirectory(), QUANTSHELF_OFFLINE: '1' });
  const checkOf = async () => {
    const printed: string[] = [];
    await runDoctor(config, { json: true }, { print: (line) => printed.push(line) });
    const { checks }: { checks: { name: string }[] } = JSON.parse(printed.join(''));
    return checks.find(({ name }) => name === 'vector_search');
  };
  expect(await checkOf()).toMatchObject({ ok: true, fix: null });
  leaveSupportedPlatforms();
  expect(await checkOf()).toMatchObject({
    ok: false,
    state: 'missing',
    detail: expect.stringMatching(/sqlite-vec.*Unsupported platform.*lexical only/),
  });
});

it('an index can be written, and searched by text, without sqlite-vec', async () => {
  leaveSupportedPlatforms();
  const path = join(temporaryDirectory(), 'store.sqlite');
  const index = makeProfile({ columns: { title: 1 } });
  const writer = openForWriting(path);
  createSearchIndex(writer, index);
  indexText(writer, index, 1, { title: 'gold' });
  indexVectors(writer, index, [{ id: 1, vector: axis(0) }]);
  writer.close();
  const db = openReadOnly(path);
  const { matches } = await searchWith(db, index, { text: 'gold' });
  expect(matches.map(({ id }) => id)).toEqual([1]);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});
