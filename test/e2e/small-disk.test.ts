import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { LONG_PAGE } from '../stand-ins/arxiv-pages.ts';
import { makePaper } from '../stand-ins/arxiv-papers.ts';
import { end, listen } from '../stand-ins/upstream.ts';
import { canMount, SmallDisk } from './small-disk.ts';
import { books } from './store.ts';
import { aPricedRow, type Finished, makeHome, NO_DOWNLOAD, online, quantshelf } from './support.ts';
import { startWire } from './wire.ts';

const ONLINE = { ...NO_DOWNLOAD, QUANTSHELF_OFFLINE: '0' };
const row = aPricedRow();
const CALL = ['call', row.name, JSON.stringify(row.example)];
/** Words of other faults, and of advice to discard the store, which no error on a full disk may have. */
const BLAME = /move|restore|corrupt|damaged|I\/O error|internal|QUANTSHELF_HOME to a writable/i;

let disk: SmallDisk;

beforeEach(async () => {
  disk = await SmallDisk.mount(40);
});
afterEach(() => disk.unmount());

function expectFull({ code, stdout, stderr }: Finished): void {
  expect(code, stdout + stderr).toBe(1);
  // The log keeps SQLite's own message, under the request id.
  const said = stdout + stderr.replaceAll(/^[\da-f-]{36} \w+: .*$/gm, '');
  expect(said).toMatch(/disk is full.*free some space/is);
  expect(said).not.toMatch(BLAME);
}

async function checksOf() {
  const { code, stdout } = await disk.quantshelf(['doctor', '--json']);
  const { checks }: { checks: { name: string; fix: string | null }[] } = JSON.parse(stdout);
  return { code, store: checks.find(({ name }) => name === 'store_integrity') };
}

describe.skipIf(!canMount)('a shelf on a read-only disk without a free block', () => {
  beforeEach(async () => {
    expect(await disk.quantshelf(CALL)).toMatchObject({ code: 0 });
    await disk.quantshelf(['keys', 'create', 'ada']);
    disk.fill();
    disk.freeze();
  });

  it('answers free calls and says why it cannot charge, without calling the disk full', async () => {
    const commands = [
      CALL,
      ['doctor'],
      ['serve', '--port', '0'],
      ['keys', 'create', 'bob'],
      ['keys', 'revoke', 'ada'],
      ['keys', 'grant', 'ada', '5'],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await disk.quantshelf(command);
      expect(code, stdout + stderr).toBe(1);
      expect(stdout + stderr).toMatch(/data directory is not writable|^\S+ is not writable/m);
      expect(stdout + stderr).not.toMatch(/full|free some|free \d/i);
    }
    const wire = await startWire(disk.home, {}, disk.launcher);
    expect(await wire.ask('macro_indicator_search', { q: 'cpi' })).toHaveProperty('data');
    expect(await wire.ask(row.name, row.example)).toMatchObject({
      error: { message: expect.stringContaining('`quantshelf export` without --query') },
      meta: { remainingCredits: 99_999 },
    });
    expect(await wire.finish()).toEqual({ code: 0, signal: null });
  });

  it('can be shown, exported and backed up, with all committed data', async () => {
    expect((await disk.quantshelf(['status'])).stdout).toContain('account  local: 99,999 credits');
    expect((await disk.quantshelf(['keys', 'list'])).stdout).toContain('ada');
    expect((await disk.quantshelf(['export', 'macro'])).stdout).toMatch(/^date,indicator,/);
    const { stderr } = await disk.quantshelf(['export', 'macro', 'VIXCLS']);
    expect(stderr).toContain('QUANTSHELF_OFFLINE is set; without it, ');
    const home = makeHome();
    const saved = join(home, 'saved');
    expect(await disk.quantshelf(['backup', saved])).toMatchObject({ code: 0 });
    expect(await quantshelf(['restore', saved], home)).toMatchObject({ code: 0 });
    expect(books(home).balance).toBe(99_999);
  });
});

describe.skipIf(!canMount)('a disk with too little room', () => {
  it('cannot take a new shelf, as doctor reports beforehand', async () => {
    disk.fill(8_000);
    const before = await checksOf();
    expect(before).toMatchObject({
      code: 1,
      store: {
        detail: expect.stringMatching(/^no store yet, and the disk has only 8\.\d MB left$/),
        fix: expect.stringMatching(/^Free \d\d\.\d MB on this disk, or set QUANTSHELF_HOME/),
      },
    });
    expectFull(await disk.quantshelf(CALL));
    expect(disk.files()).toEqual(['quantshelf.sqlite.lock']);
    disk.free();
    expect(await disk.quantshelf(CALL)).toMatchObject({ code: 0 });
    expect(await checksOf()).toMatchObject({ store: { ok: true, detail: 'intact' } });
  });

  it('makes commands say that it is full, until there is room', async () => {
    const env = { QUANTSHELF_CREDITS: '9', QUANTSHELF_OFFLINE: '1' };
    expect(await disk.quantshelf(CALL, env)).toMatchObject({ code: 0 });
    disk.fill();
    const commands = [CALL, ['status'], ['keys', 'list'], ['backup', '/mnt/b']];
    for (const command of commands) expectFull(await disk.quantshelf(command));
    expect((await disk.quantshelf(CALL)).stderr).toBe('');
    expectFull(await disk.quantshelf(['sync', 'papers'], ONLINE));
    const { code, store } = await checksOf();
    expect(code).toBe(1);
    expect(store?.fix).toMatch(/^The disk is full\. Free some space.*leave it where it is\.$/);
    disk.free();
    expect(await disk.quantshelf(CALL)).toMatchObject({ code: 0 });
    expect(books(disk.copyHome()).granted).toBe(9);
  });
});

it.skipIf(!canMount)(
  'on a full disk, a read says that the full text was not stored, and returns it once there is room',
  async () => {
    const paper = makePaper({ html: LONG_PAGE });
    const arxiv = await startArxiv({ records: [paper] });
    onTestFinished(() => arxiv.close());
    const env = online([arxiv], 20);
    await disk.quantshelf(['sync', 'papers'], env);
    const wire = await startWire(disk.home, env, disk.launcher);
    const read = async () =>
      JSON.stringify(await wire.ask('paper_read', { paperCardId: paper.id }));
    await wire.ask('macro_indicator_search', { q: 'cpi' });
    disk.fill();
    expect(await read()).toContain('Full text not stored');
    expect(wire.stderr.match(/database or disk is full/g)).toHaveLength(1);
    disk.free();
    expect(await read()).toContain('Wider spreads cost more.');
    await wire.finish();
  },
);

it.skipIf(!canMount)(
  'a download of a model that does not fit on the disk leaves no partial file, and the error names the space needed',
  async () => {
    const hub = createServer((_, response) => response.end(Buffer.alloc(794)));
    onTestFinished(() => end(hub));
    disk.fill();
    const env = { ...ONLINE, QUANTSHELF_HUB_URL: await listen(hub) };
    expect(await disk.quantshelf(['model'], env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'The disk is full. Free 360 MB for the embedding model. Then run `quantshelf model`.\n',
    });
    expect(disk.files().sort()).toEqual(['models', 'models/fetch.lock']);
  },
);
