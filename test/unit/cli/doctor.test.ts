import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../src/app/store.ts';
import { beginPull } from '../../../src/areas/markets/pulls.ts';
import { eventIndex } from '../../../src/areas/markets/tables.ts';
import { checkStore, checkUpstreams, fixFor } from '../../../src/cli/doctor.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { indexText } from '../../../src/search/profile.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { Database as Sqlite } from '../../../src/store/sqlite.ts';
import { temporaryDirectory } from '../../temporary.ts';

const AWAY = 'http://127.0.0.1:9';
/** Every source: nothing listens there. */
const SOURCES_AWAY = Object.fromEntries(
  [
    ...['ARXIV_OAI', 'ARXIV_WEB', 'AR5IV', 'FRED', 'POLYMARKET', 'BLS', 'TREASURY'],
    ...['NYFED', 'FEDBOARD', 'BEA', 'CENSUS', 'FHFA'],
  ].map((name) => [`QUANTSHELF_${name}_URL`, AWAY]),
);

async function listen(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

const stateWith = async (env: Record<string, string>, hasModel: boolean) =>
  (await checkUpstreams(readConfig({ QUANTSHELF_HUB_URL: AWAY, ...env }), hasModel)).state;

it.each([true, false])(
  'a machine that reaches no source has no fault, even if a registry answers (model: %s)',
  async (hasModel) => {
    const env = { ...SOURCES_AWAY, QUANTSHELF_NPM_URL: await listen() };
    expect(await stateWith(env, hasModel)).toBe('missing');
  },
);

it('one unreachable source among others is a fault', async () => {
  const env = { ...SOURCES_AWAY, QUANTSHELF_BLS_URL: await listen() };
  expect(await stateWith(env, true)).toBe('fault');
});

it('an unreachable model hub matters only while the model is missing', async () => {
  const here = await listen();
  const env = Object.fromEntries(Object.keys(SOURCES_AWAY).map((name) => [name, here]));
  expect(await stateWith(env, true)).toBe('ok');
  expect(await stateWith(env, false)).toBe('fault');
});

it('Kalshi is among the upstreams once the store has turned it on', async () => {
  const home = temporaryDirectory();
  const here = await listen();
  const sources = Object.fromEntries(Object.keys(SOURCES_AWAY).map((name) => [name, here]));
  const env = { ...sources, QUANTSHELF_HOME: home, QUANTSHELF_KALSHI_URL: AWAY };
  const detail = async () => (await checkUpstreams(readConfig(env), true)).detail;
  const db = openForWriting(storePath(home));
  migrate(db, migrations, new Date('2026-11-22T12:00:00Z'));
  expect(await detail()).not.toContain(new URL(AWAY).host);
  beginPull(db, { source: 'kalshi', scope: 'full' }, new Date('2026-11-22T12:00:00Z'));
  db.close();
  expect(await detail()).toContain(new URL(AWAY).host);
});

it('a proxy that does not answer is a fault', async () => {
  const env = { ...SOURCES_AWAY, HTTP_PROXY: 'http://127.0.0.1:9' };
  expect(await stateWith(env, false)).toBe('fault');
});

const PATH = '/home/ada/quantshelf.sqlite';
const sqlite = (code: string) => new Sqlite.SqliteError(code, code);
const system = (code: string) => Object.assign(new Error(code), { code });
const fixOf = (error: Error) => fixFor(error, PATH, tmpdir());

describe('what to do about a store', () => {
  it.each([
    [sqlite('SQLITE_FULL'), /Free some space/],
    [system('ENOSPC'), /Free some space/],
    [sqlite('SQLITE_CANTOPEN'), /cannot be written/],
    [system('EACCES'), /cannot be written/],
    [sqlite('SQLITE_BUSY'), /Try again/],
    [sqlite('SQLITE_IOERR_READ'), /Check the disk/],
  ])('%s: it stays where it is', (error, fix) => {
    expect(fixOf(error)).toMatch(fix);
    expect(fixOf(error)).not.toMatch(/move|backup/i);
  });

  it.each([[sqlite('SQLITE_CORRUPT_VTAB')], [new Error('row 7 missing from index')]])(
    '%s: it is saved first, then moved away, and what is lost is said',
    (error) => {
      expect(fixOf(error)).toMatch(/^Save what can be read with `quantshelf backup FILE`/);
      expect(fixOf(error)).toContain(`move ${PATH} away`);
      expect(fixOf(error)).toMatch(/-wal and -shm.*Keys, credits and synced data/);
    },
  );
});

describe('a real store', () => {
  let home: string;
  beforeEach(() => {
    home = temporaryDirectory();
  });

  const make = () => {
    const db = openForWriting(storePath(home));
    migrate(db, migrations, new Date('2026-11-22T10:00:00Z'));
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  };

  const change = (sql: string) => {
    const db = openForWriting(storePath(home));
    db.unsafeMode(true);
    indexText(db, eventIndex, 7, {
      title: 'rates',
      description: '',
      tags: '',
      questions: '',
      labels: '',
    });
    db.exec(sql);
    db.close();
  };

  it.skipIf(process.platform !== 'linux')(
    'cannot be made where nobody can write, and freeing space is no remedy',
    async () => {
      const store = await checkStore('/proc/quantshelf');
      expect(store).toMatchObject({
        ok: false,
        detail: 'no store yet, and the data directory cannot be written',
        fix: expect.stringContaining('Set QUANTSHELF_HOME to a directory that can be written.'),
      });
    },
  );

  it('is intact', async () => {
    make();
    const store = await checkStore(home);
    expect(store).toMatchObject({ ok: true, detail: 'intact', fix: null });
  });

  it.each([
    ['cut', () => truncateSync(storePath(home), 20_000), /./, /quantshelf backup/],
    [
      'a broken full-text index',
      () => change('UPDATE market_event_terms_data SET block = zeroblob(9) WHERE id > 1'),
      /market_event_terms/,
      /quantshelf restore FILE/,
    ],
    [
      'a row whose owner is missing',
      () =>
        change(
          "PRAGMA foreign_keys = OFF; INSERT INTO market_event_text (id, haystack) VALUES (7, 'x')",
        ),
      /the owner of 1 rows is missing/,
      /quantshelf restore FILE/,
    ],
    [
      'vectors that cannot be read',
      () => change("INSERT INTO market_event_vector VALUES (7, x'00', x'00')"),
      /damaged search vectors: 1 of markets/,
      /Recreate them with `quantshelf sync markets`/,
    ],
    [
      'no SQLite file',
      () => writeFileSync(storePath(home), 'x'.repeat(9_000)),
      /not a database/,
      /move/,
    ],
  ])('%s', async (_, spoil, detail, fix) => {
    make();
    spoil();
    const store = await checkStore(home);
    expect(store).toMatchObject({ name: 'store_integrity', ok: false });
    expect(store.detail).toMatch(detail);
    expect(store.fix).toMatch(fix);
  });
});
