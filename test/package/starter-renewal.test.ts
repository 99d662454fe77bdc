import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDITION_SETTING, renewStarter } from '../../src/app/starter.ts';
import { readHistory } from '../../src/areas/macro/queries.ts';
import { getEventById } from '../../src/areas/markets/queries.ts';
import { eventIndex } from '../../src/areas/markets/tables.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { listDamagedVectors } from '../../src/search/vectors.ts';
import { openForWriting, openReadOnly } from '../../src/store/open.ts';
import { readSetting, storedModel } from '../../src/store/state.ts';
import { edit, expectSound } from '../e2e/store.ts';
import { makeHome } from '../e2e/support.ts';
import { copyStarter } from '../starter.ts';
import { withVectors } from '../vectors.ts';

const directory = makeHome();
const starterPath = join(directory, 'starter.sqlite');
const storePath = join(directory, 'quantshelf.sqlite');
const { signal } = new AbortController();

/** A store of an older edition: some starter data is different or missing, and some has been synced since. */
const OLDER = `
  UPDATE settings SET value = '0' WHERE key = '${EDITION_SETTING}';
  DELETE FROM paper WHERE id = 3;
  DELETE FROM paper_terms WHERE rowid = 3;
  DELETE FROM paper_vector WHERE id = 3;
  DELETE FROM paper_passages WHERE id = 3;
  UPDATE paper SET summary = 'old' WHERE id = 1;
  UPDATE paper_section SET content = 'old' WHERE paper_id = 1;
  UPDATE paper SET summary = 'synced', origin = 'arxiv' WHERE id = 2;
  UPDATE paper SET withdrawn = 1 WHERE id = 4;
  INSERT INTO paper_text (paper_id, source) VALUES (5, 'html');
  UPDATE paper_section SET content = 'full text' WHERE paper_id = 5;
  UPDATE paper SET source_id = 'arxiv:2501.00001', card_id = 'gone' WHERE id = 6;
  INSERT INTO paper (card_id, source_id, title, authors, abstract, summary, tags, categories, published, pdf_url, origin, as_of, added)
    VALUES ('own', 'arxiv:2601.00001', 'Own', '[]', 'a', 's', '[]', '[]', '2026-01', '', 'arxiv', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z');
  DELETE FROM macro_vintage WHERE series_id = 'UNRATE' AND date > '2026-01-01';
  UPDATE macro_series SET taken = '2026-02-01', observation_end = '2026-01-01' WHERE series_id = 'UNRATE';
  UPDATE macro_vintage SET value = 1 WHERE series_id = 'PAYEMS';
  UPDATE macro_series SET origin = 'fred', last_vintage = '2026-11-06' WHERE series_id = 'PAYEMS';
  UPDATE market_event SET card = json_set(card, '$.title', 'old') WHERE id = (SELECT min(id) FROM market_event);
  UPDATE market_event SET card = json_set(card, '$.title', 'live'), origin = 'live' WHERE id = (SELECT max(id) FROM market_event);
  INSERT INTO accounts VALUES ('local', 42, '2026-01-01T00:00:00.000Z');
  INSERT INTO ledger (at, account, operation, credits, request_id)
    VALUES ('2026-01-01T00:00:00.000Z', 'local', 'paper_search', 1, 'r');`;

/** A copy of the starter shelf, changed by `sql`. The caller closes it. */
function makeOlder(path: string, sql = OLDER): Database {
  copyFileSync(starterPath, path);
  const store = openForWriting(path);
  store.unsafeMode(true).exec(sql);
  store.unsafeMode(false);
  return store;
}

let starter: Database;
let db: Database;

beforeAll(async () => {
  await copyStarter(starterPath);
  // Complete histories would take seconds to renew.
  edit(starterPath, "DELETE FROM macro_vintage WHERE date < '2020-01-01'");
  makeOlder(storePath).close();
  expect(await renewStarter(storePath, starterPath, signal)).toBe(true);
  starter = openReadOnly(starterPath);
  db = openReadOnly(storePath);
});

afterAll(() => {
  starter.close();
  db.close();
});

const of = (store: Database, sql: string) => store.prepare(sql).all();

describe('a newer package', () => {
  it('stores its papers with their sections, search terms and intact vectors', () => {
    const sections = `
      SELECT source_id, section_key, content, hex(embedding) FROM paper
      JOIN paper_section ON paper_id = paper.id
      WHERE origin = 'starter' AND paper.id NOT IN (4, 5)
      ORDER BY source_id, section_order`;
    const cards = `
      SELECT source_id, summary, t.title, t.abstract, hex(v.vector), hex(p.vectors)
      FROM paper JOIN paper_terms t ON t.rowid = paper.id JOIN paper_vector v ON v.id = paper.id
      JOIN paper_passages p ON p.id = paper.id
      WHERE origin = 'starter' AND paper.id NOT IN (4, 5) ORDER BY source_id`;
    const synced = db.prepare("SELECT source_id FROM paper WHERE summary = 'synced'").pluck().get();
    expect(synced).toMatch(/^arxiv:/);
    for (const sql of [cards, sections]) {
      const others = of(starter, sql).filter(
        (row) => !JSON.stringify(row).includes(String(synced)),
      );
      expect(others.length).toBeGreaterThan(100);
      expect(of(db, sql)).toEqual(others);
    }
    const found = withVectors(openReadOnly(storePath));
    for (const { name } of [paperIndex, eventIndex])
      expect(listDamagedVectors(found, name)).toEqual([]);
    found.close();
  });

  it.each([
    ['the mark of a withdrawn paper', 'SELECT id FROM paper WHERE withdrawn = 1', { id: 4 }],
    [
      'full texts',
      'SELECT DISTINCT content FROM paper_section JOIN paper_text USING (paper_id)',
      { content: 'full text' },
    ],
    [
      'papers that a sync has replaced',
      "SELECT origin FROM paper WHERE summary = 'synced'",
      { origin: 'arxiv' },
    ],
    [
      'papers that a sync has added',
      "SELECT title, published FROM paper WHERE card_id = 'own'",
      { title: 'Own', published: '2026-01' },
    ],
    ['accounts', 'SELECT name, credits FROM accounts', { name: 'local', credits: 42 }],
    ['the ledger', 'SELECT request_id FROM ledger', { request_id: 'r' }],
  ])('keeps %s', (_, sql, row) => {
    expect(of(db, sql)).toEqual([row]);
  });

  it('removes a paper that it no longer contains', () => {
    expect(of(db, "SELECT id FROM paper WHERE card_id = 'gone'")).toEqual([]);
    expect(
      of(db, 'SELECT rowid FROM paper_terms WHERE rowid NOT IN (SELECT id FROM paper)'),
    ).toEqual([]);
  });

  it('stores its figures and events, except those that a sync has replaced', () => {
    const rows = readHistory(starter, 'UNRATE', 12)?.rows;
    expect(readHistory(db, 'UNRATE', 12)).toMatchObject({ series: { origin: 'starter' }, rows });
    expect(readHistory(db, 'PAYEMS', 1)).toMatchObject({
      series: { origin: 'fred' },
      rows: [{ value: 1 }],
    });
    const [first = 0, last = 0] = ['min', 'max'].map((end) =>
      Number(db.prepare(`SELECT ${end}(id) FROM market_event`).pluck().get()),
    );
    expect(getEventById(db, first)).toEqual(getEventById(starter, first));
    expect(getEventById(db, last)).toMatchObject({ title: 'live', origin: 'live' });
  });

  it('leaves an intact store, and no work for the next start', async () => {
    expectSound(directory);
    expect(readSetting(db, EDITION_SETTING)).toBe(readSetting(starter, EDITION_SETTING));
    expect(await renewStarter(storePath, starterPath, signal)).toBe(false);
  });
});

it('a newer package repeats an interrupted renewal', async () => {
  const path = join(directory, 'interrupted.sqlite');
  const older = makeOlder(path);
  const stopping = new AbortController();
  const renewal = renewStarter(path, starterPath, stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(renewal).rejects.toThrow('stopped');
  expect(readSetting(older, EDITION_SETTING)).toBe('0');
  expect(await renewStarter(path, starterPath, signal)).toBe(true);
  expect(readSetting(older, EDITION_SETTING)).not.toBe('0');
  older.close();
});

it('on a shelf that uses another model, a newer package stores its papers and events without vectors, to be embedded later', async () => {
  const path = join(directory, 'other-model.sqlite');
  const other = makeOlder(
    path,
    `
    UPDATE settings SET value = '0' WHERE key = '${EDITION_SETTING}';
    UPDATE settings SET value = 'other@q8/mean' WHERE key = 'embedding_model';
    UPDATE paper SET summary = 'old' WHERE id = 1;
    UPDATE market_event SET card = json_set(card, '$.title', 'old') WHERE id = (SELECT min(id) FROM market_event)`,
  );
  expect(await renewStarter(path, starterPath, signal)).toBe(true);
  for (const shown of [
    'SELECT summary FROM paper ORDER BY id LIMIT 1',
    'SELECT card FROM market_event ORDER BY id LIMIT 1',
  ]) {
    expect(of(other, shown)).toEqual(of(starter, shown));
  }
  const counts = `
    SELECT (SELECT count(*) FROM paper_vector) + (SELECT count(*) FROM paper_passages) AS papers,
      (SELECT count(*) FROM paper_section WHERE embedding IS NOT NULL) AS sections,
      (SELECT count(*) FROM market_event_vector) AS events,
      (SELECT count(*) FROM paper WHERE digested = 1) AS papersDone,
      (SELECT count(*) FROM market_event_state WHERE vector_due = 0) AS eventsDone`;
  const none = { papers: 0, sections: 0, events: 0, papersDone: 0, eventsDone: 0 };
  expect(of(other, counts)).toEqual([none]);
  expect(storedModel(other)).toBe('other@q8/mean');
  expect(await renewStarter(path, starterPath, signal)).toBe(false);
  other.close();
});

it('the starter shelf indexes every section for quotations', () => {
  const count = (table: string) => starter.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  expect(count('paper_section_terms')).toBe(count('paper_section'));
  expect(count('paper_section')).toBeGreaterThan(100);
});

it("the starter shelf's edition and the hash of its data are as recorded here", () => {
  const files = readdirSync('data/starter', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'edition.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(file));
  // Changed the data? Raise `edition` in data/starter/edition.json, then record both here.
  expect({
    edition: Number(readSetting(starter, EDITION_SETTING)),
    hash: hash.digest('hex').slice(0, 16),
  }).toEqual({ edition: 20, hash: '7b9dd6ee24f0d4dd' });
});
