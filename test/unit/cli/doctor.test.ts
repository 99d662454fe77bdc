import { truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { migrations } from '../../../src/app/store.ts';
import { beginPull } from '../../../src/areas/markets/pulls.ts';
import { eventIndex } from '../../../src/areas/markets/tables.ts';
import { checkStore, checkUpstreams, fixFor, runDoctor } from '../../../src/cli/doctor.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { creationFault } from '../../../src/core/disk.ts';
import { indexText } from '../../../src/search/profile.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { Database as Sqlite } from '../../../src/store/sqlite.ts';
import { listen, sourcesAt } from '../../stand-ins/upstream.ts';
import { temporaryDirectory } from '../../temporary.ts';

vi.mock(import('../../../src/core/disk.ts'), { spy: true });

const NOW = new Date('2026-11-22T12:00:00Z');
const AWAY = 'http://127.0.0.1:9';
/** A new data directory with a migrated store, which is closed when the test ends. */
function makeStore() {
  const home = temporaryDirectory();
  const db = openForWriting(storePath(home));
  onTestFinished(() => void db.close());
  migrate(db, migrations, NOW);
  return { home, db };
}

let here: string;
beforeEach(async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  here = await listen(server);
});

it.each<[string, string, boolean, () => Record<string, string>]>([
  ['missing', 'no upstream is reachable', true, () => ({})],
  ['missing', 'only an npm registry is reachable', false, () => ({ QUANTSHELF_NPM_URL: here })],
  ['fault', 'only one upstream is reachable', true, () => ({ QUANTSHELF_BLS_URL: here })],
  ['ok', 'all upstreams are reachable and the model is present', true, () => sourcesAt(here)],
  ['fault', 'the model is missing and its hub is unreachable', false, () => sourcesAt(here)],
  ['fault', 'the proxy is unreachable', false, () => ({ HTTP_PROXY: AWAY })],
])('doctor reports the upstreams as "%s" if %s', async (state, _, hasModel, env) => {
  const config = readConfig({ QUANTSHELF_HUB_URL: AWAY, ...sourcesAt(AWAY), ...env() });
  expect((await checkUpstreams(config, hasModel)).state).toBe(state);
});

it('doctor checks Kalshi only if it is turned on in the store', async () => {
  const { home, db } = makeStore();
  const env = { ...sourcesAt(here), QUANTSHELF_HOME: home, QUANTSHELF_KALSHI_URL: AWAY };
  const detail = async () => (await checkUpstreams(readConfig(env), true)).detail;
  expect(await detail()).not.toContain(new URL(AWAY).host);
  beginPull(db, { source: 'kalshi', scope: 'full' }, NOW);
  expect(await detail()).toContain(new URL(AWAY).host);
});

it('doctor prints the name of a missing file without its control characters', async () => {
  const { home, db } = makeStore();
  db.exec(`
    PRAGMA foreign_keys = OFF;
    INSERT INTO own_file VALUES ('/papers/' || char(27) || '[2Jgone.pdf', 1, 1, 'x', 1, 1)`);
  const printed: string[] = [];
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  await runDoctor(config, { json: false }, { print: (text) => printed.push(text) });
  expect(printed.join()).toContain('no longer there: /papers/ [2Jgone.pdf');
});

it.each([
  ['1', /fix: Unset QUANTSHELF_OFFLINE first\. Download the model/],
  ['0', /fix: Download the model/],
])(
  'with QUANTSHELF_OFFLINE=%s, doctor’s fix for a missing model matches %s',
  async (offline, fix) => {
    const printed: string[] = [];
    const env = { ...sourcesAt(here), QUANTSHELF_HUB_URL: here, QUANTSHELF_NPM_URL: here };
    const home = { QUANTSHELF_HOME: temporaryDirectory(), QUANTSHELF_OFFLINE: offline };
    const config = readConfig({ ...env, ...home });
    await runDoctor(config, { json: false }, { print: (text) => printed.push(text) });
    expect(printed.join()).toMatch(fix);
  },
);

const PATH = '/home/ada/quantshelf.sqlite';
const sqlite = (code: string) => new Sqlite.SqliteError(code, code);
const system = (code: string) => Object.assign(new Error(code), { code });
const fixOf = (error: Error) => fixFor(error, PATH, tmpdir());

it.each([
  [sqlite('SQLITE_FULL'), /Free some space/],
  [system('ENOSPC'), /Free some space/],
  [sqlite('SQLITE_CANTOPEN'), /is not writable/],
  [system('EACCES'), /is not writable/],
  [sqlite('SQLITE_BUSY'), /Try again/],
  [sqlite('SQLITE_IOERR_READ'), /Check the disk/],
])(
  'after the error "%s", doctor gives a fix that matches %s and does not advise moving the store',
  (error, fix) => {
    expect(fixOf(error)).toMatch(fix);
    expect(fixOf(error)).not.toMatch(/move|backup/i);
  },
);

it.each([[sqlite('SQLITE_CORRUPT_VTAB')], [new Error('row 7 missing from index')]])(
  'after the error "%s", doctor advises saving the damaged store before moving it, and says what is lost',
  (error) => {
    expect(fixOf(error)).toMatch(
      /^Save the store with `quantshelf backup FILE`; if that fails, copy/,
    );
    expect(fixOf(error)).toContain(`copy ${PATH}, with the files`);
    expect(fixOf(error)).toMatch(/-wal and -shm.*Keys, credits and synced data/);
  },
);

it.skipIf(process.platform !== 'linux')(
  'doctor reports that the data directory is not writable, not that the disk is full, where nobody can write',
  async () => {
    expect(await checkStore('/proc/quantshelf')).toMatchObject({
      ok: false,
      detail: 'no store yet, and the data directory is not writable',
      fix: '/proc/quantshelf is not writable. Make it writable, or copy it and set QUANTSHELF_HOME to the copy.',
    });
  },
);

it.each(['', 'below'])(
  'doctor reports a data directory that is a file, or %j inside one',
  async (name) => {
    const taken = join(temporaryDirectory(), 'file');
    writeFileSync(taken, '');
    const home = join(taken, name);
    expect(await checkStore(home)).toMatchObject({
      detail: 'no store yet, and the data directory is a file, or inside one',
      fix: `${home} is a file, or is inside one. Set QUANTSHELF_HOME to a directory.`,
    });
  },
);

it.each([
  [
    'unwritable',
    'intact, but the data directory is not writable',
    / is not writable. Make it writable, or copy it/,
  ],
  ['full', 'intact, but your disk quota is used up', /^Free 10\.0 MB on this disk, or/],
] as const)(
  'in a data directory that is %s, doctor reports an intact store as "%s"',
  async (fault, detail, fix) => {
    const { home } = makeStore();
    vi.mocked(creationFault).mockReturnValueOnce(fault);
    const report = { ok: false, detail, fix: expect.stringMatching(fix) };
    expect(await checkStore(home)).toMatchObject(report);
  },
);

const damage = (index: string) => `INSERT INTO ${index}_vector VALUES (7, x'00', x'00')`;
/** Runs SQL on a store that has one event in its search index. */
function change(path: string, sql: string): void {
  const db = openForWriting(path);
  db.unsafeMode(true);
  const text = { title: 'rates', description: '', tags: '', questions: '', labels: '' };
  indexText(db, eventIndex, 7, text);
  db.exec(sql);
  db.close();
}

it.each<[string, (path: string) => void, RegExp, RegExp]>([
  ['a truncated file', (path) => truncateSync(path, 20_000), /./, /quantshelf backup/],
  [
    'a broken full-text index',
    (path) => change(path, 'UPDATE market_event_terms_data SET block = zeroblob(9) WHERE id > 1'),
    /market_event_terms/,
    /quantshelf restore FILE/,
  ],
  [
    'an orphaned row',
    (path) =>
      change(
        path,
        "PRAGMA foreign_keys = OFF; INSERT INTO market_event_text (id, haystack) VALUES (7, 'x')",
      ),
    /^1 orphaned row$/,
    /quantshelf restore FILE/,
  ],
  [
    'damaged vectors of two areas',
    (path) => change(path, `${damage('paper')}; ${damage('market_event')}`),
    /^damaged search vectors: 1 in papers, 1 in markets$/,
    /^Recreate them with `quantshelf sync papers` and `quantshelf sync markets`\.$/,
  ],
  [
    'a file that is not an SQLite file',
    (path) => writeFileSync(path, 'x'.repeat(9_000)),
    /not a database/,
    /move/,
  ],
])('doctor finds no fault in an intact store, but reports %s, with a fix', async (...row) => {
  const [, spoil, detail, fix] = row;
  const { home, db } = makeStore();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  expect(await checkStore(home)).toMatchObject({ ok: true, detail: 'intact', fix: null });
  spoil(storePath(home));
  const store = await checkStore(home);
  expect(store).toMatchObject({ name: 'store_integrity', ok: false });
  expect(store.detail).toMatch(detail);
  expect(store.fix).toMatch(fix);
});
