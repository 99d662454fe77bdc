import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { makeShelf, runHere } from './in-process.ts';
import { expectSound } from './store.ts';
import {
  aPricedRow,
  bin,
  envelope,
  environment,
  makeHome,
  modelDir,
  node,
  quantshelf,
  runProcess,
  storeIn,
} from './support.ts';
import { startWire } from './wire.ts';

const row = aPricedRow();
/** The superuser can write everywhere, whatever the permissions. */
const isRoot = process.getuid?.() === 0;

async function callIn(home: string) {
  const ended = await quantshelf(['call', row.name, JSON.stringify(row.example)], home, {
    QUANTSHELF_CREDITS: '100',
  });
  return { ...ended, reply: envelope.parse(JSON.parse(ended.stdout)) };
}

describe('the data directory', () => {
  it('is created with its parents by the first call, and contains no journal after a clean exit', async () => {
    const home = join(makeHome(), 'a', 'ö b', 'c');
    const wire = await startWire(home);
    wire.send({ id: 1, method: 'tools/list' });
    await wire.response(1);
    expect(existsSync(home)).toBe(false);
    await wire.ask(row.name, row.example);
    expect(existsSync(storeIn(home))).toBe(true);
    await wire.finish();
    expect(readdirSync(home).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
  });

  it('is private, and so are its files, whatever the umask and the command', async () => {
    const home = join(makeHome(), 'new');
    const script = `umask 000; exec "${node}" "${bin}" "$@"`;
    for (const args of [
      ['keys', 'list'],
      ['sync', 'macro'],
      ['backup', join(home, 'saved.sqlite')],
    ]) {
      await runProcess('sh', ['-c', script, 'sh', ...args], { env: environment(home) });
    }
    expect(readdirSync(home)).toEqual(
      expect.arrayContaining(['saved.sqlite', 'quantshelf.sqlite.lock']),
    );
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(home)) {
      expect(statSync(join(home, name)).mode & 0o077, name).toBe(0);
    }
  });

  it.skipIf(!isRoot)('needs QUANTSHELF_HOME if the user has no home directory', async () => {
    const parent = makeHome();
    chmodSync(parent, 0o777);
    const { HOME: _, ...env } = environment(join(parent, 'shelf'));
    const stranger = { uid: 61_234, gid: 61_234 };
    const result = await runProcess(node, [bin, 'keys', 'list'], { env, ...stranger });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('local') });
    const { QUANTSHELF_HOME: __, ...nothing } = env;
    const lost = await runProcess(node, [bin, 'keys', 'list'], { env: nothing, ...stranger });
    const stderr =
      'This user has no home directory. Set QUANTSHELF_HOME to a writable directory.\n';
    expect(lost).toMatchObject({ code: 2, stdout: '', stderr });
  });

  it.each([
    ['HOME', ''],
    ['XDG_DATA_HOME', 'share'],
  ])('is not created in the working directory when %s is "%s"', async (name, value) => {
    const cwd = makeHome();
    const { QUANTSHELF_HOME: _, ...env } = environment('');
    const { code, stderr } = await runProcess(node, [bin, 'status'], {
      env: { ...env, [name]: value },
      cwd,
    });
    expect({ code, made: readdirSync(cwd) }).toEqual({ code: 2, made: [] });
    expect(stderr).toContain('Set QUANTSHELF_HOME to a writable directory.');
  });
});

/** A path in the kernel's own file system, where creating a file fails with an unusual error. */
const IMPOSSIBLE = '/proc/quantshelf';

it.runIf(existsSync('/proc/self'))(
  'a call that can create nothing in its data directory ends, and says to set QUANTSHELF_HOME',
  async () => {
    const call = [bin, 'call', 'paper_search', '{"query":"momentum"}'];
    const env = environment(IMPOSSIBLE, { QUANTSHELF_MODEL_DIR: modelDir ?? '' });
    const { code, stdout } = await runProcess(node, call, { env, timeout: 50_000 });
    expect(code).toBe(1);
    expect(stdout).toMatch(/The data directory is not writable\..* QUANTSHELF_HOME/);
  },
);

const A_DIRECTORY = /quantshelf\.sqlite .* is a directory\. Move it away/;

describe('a store that changed between two starts', () => {
  it('is replaced by an intact one if it was moved away without its journal', async () => {
    // A killed process leaves the journal. Users who follow doctor's advice may move only the store.
    const home = makeHome();
    const wire = await startWire(home, { QUANTSHELF_CREDITS: '100' });
    await wire.ask(row.name, row.example);
    wire.child.kill('SIGKILL');
    await wire.ended;
    expect(readdirSync(home)).toContain('quantshelf.sqlite-wal');
    rmSync(storeIn(home));
    expect((await callIn(home)).reply).toMatchObject({ meta: { remainingCredits: 99 } });
    expectSound(home);
  });

  it('is reported by calls and commands if a directory is in its place', async () => {
    const home = makeHome();
    mkdirSync(storeIn(home));
    const { code, reply } = await callIn(home);
    const error = { code: 'service_unavailable', message: expect.stringMatching(A_DIRECTORY) };
    expect({ code, reply }).toMatchObject({ code: 1, reply: { error } });
    for (const command of ['doctor', 'status', `backup ${join(home, 'saved')}`]) {
      const { code, stdout, stderr } = await quantshelf(command.split(' '), home);
      expect(code, command).toBe(1);
      expect(stdout + stderr, command).toMatch(A_DIRECTORY);
    }
    rmSync(storeIn(home), { recursive: true });
    expect((await callIn(home)).code).toBe(0);
  });

  it('is reported by status and by an export, which leaves no file, if a page is damaged', async () => {
    const home = await makeShelf();
    const db = openReadOnly(storeIn(home));
    const find = "SELECT rootpage FROM sqlite_master WHERE name = 'paper'";
    const page = db.prepare<[], number>(find).pluck().get() ?? 0;
    db.close();
    const store = readFileSync(storeIn(home)).fill(7, (page - 1) * 4_096, page * 4_096);
    writeFileSync(storeIn(home), store);
    for (const args of [['status'], ['export', 'papers', '--out', join(home, 'out')]]) {
      const stderr = expect.stringMatching(
        /^(Nothing was written\.\n)?The shelf is damaged .* doctor`.*\n$/,
      );
      expect(await runHere(args, home)).toMatchObject({ code: 1, stdout: '', stderr });
    }
    expect(readdirSync(home).filter((name) => name.startsWith('out'))).toEqual([]);
  });

  it('is replaced by the starter shelf if it is empty', async () => {
    const home = makeHome();
    writeFileSync(storeIn(home), '');
    const { code, reply, stderr } = await callIn(home);
    expect({ code, reply }).toMatchObject({ code: 0, reply: { meta: { remainingCredits: 99 } } });
    expect(stderr).toContain('quantshelf.sqlite was empty and was replaced by the starter shelf.');
    expect((await callIn(home)).stderr).not.toContain('was empty');
  });
});
