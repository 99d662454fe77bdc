import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDITION_SETTING, renewStarter } from '../../src/app/starter.ts';
import { readHistory } from '../../src/areas/macro/queries.ts';
import { getEventById } from '../../src/areas/markets/queries.ts';
import { eventIndex } from '../../src/areas/markets/tables.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { listDamagedVectors } from '../../src/search/vectors.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { readSetting, storedModel } from '../../src/store/state.ts';
import { copyStarter } from '../starter.ts';
import { withVectors } from '../vectors.ts';

const directory = mkdtempSync(join(tmpdir(), 'quantshelf-renewal-'));
const starterPath = join(directory, 'starter.sqlite');
const storePath = join(directory, 'quantshelf.sqlite');
const { signal } = new AbortController();

/** A store of an older edition: some starter data differ or lack, and some were synced since. */
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

function makeOlder(store: Database): void {
  store.unsafeMode(true).exec(OLDER);
  store.unsafeMode(false);
}

let starter: Database;
let db: Database;

beforeAll(async () => {
  await copyStarter(starterPath);
  copyFileSync(starterPath, storePath);
  const older = openForWriting(storePath);
  makeOlder(older);
  older.close();
  expect(await renewStarter(storePath, starterPath, signal)).toBe(true);
  starter = openForReading(starterPath);
  db = openForReading(storePath);
  // It compiles the whole starter store.
}, 120_000);

afterAll(() => {
  starter.close();
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

const of = (store: Database, sql: string) => store.prepare(sql).all();

describe('a newer package', () => {
  it('adds its papers, with text, vectors and sections', () => {
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
  });

  it('adds vectors that search finds', () => {
    const found = withVectors(openForReading(storePath));
    for (const [name, cards] of [
      [paperIndex.name, 120],
      [eventIndex.name, 10],
    ] as const) {
      expect(found.prepare(`SELECT count(*) FROM ${name}_vector`).pluck().get()).toBeGreaterThan(
        cards,
      );
      expect(listDamagedVectors(found, name)).toEqual([]);
    }
    found.close();
  });

  it("keeps papers that arXiv filled or withdrew, full texts, and the user's own papers", () => {
    expect(of(db, 'SELECT id FROM paper WHERE withdrawn = 1')).toEqual([{ id: 4 }]);
    expect(of(db, 'SELECT paper_id FROM paper_text')).toEqual([{ paper_id: 5 }]);
    const texts = 'SELECT DISTINCT content FROM paper_section WHERE paper_id = 5';
    expect(of(db, texts)).toEqual([{ content: 'full text' }]);
    expect(of(db, "SELECT origin FROM paper WHERE summary = 'synced'")).toEqual([
      { origin: 'arxiv' },
    ]);
    expect(of(db, "SELECT title, published FROM paper WHERE card_id = 'own'")).toEqual([
      { title: 'Own', published: '2026-01' },
    ]);
  });

  it('removes a paper that it no longer contains', () => {
    expect(of(db, "SELECT id FROM paper WHERE card_id = 'gone'")).toEqual([]);
    expect(
      of(db, 'SELECT rowid FROM paper_terms WHERE rowid NOT IN (SELECT id FROM paper)'),
    ).toEqual([]);
  });

  it('adds its figures, except for a series that FRED has filled', () => {
    expect(readHistory(db, 'UNRATE', 12)).toEqual(readHistory(starter, 'UNRATE', 12));
    expect(readHistory(db, 'PAYEMS', 1)).toMatchObject({
      series: { origin: 'fred' },
      rows: [{ value: 1 }],
    });
  });

  it('adds its events, except for one that a sync has filled', () => {
    const idOf = (end: string) =>
      Number(db.prepare(`SELECT ${end}(id) FROM market_event`).pluck().get());
    const [first, last] = [idOf('min'), idOf('max')];
    expect(getEventById(db, first)).toEqual(getEventById(starter, first));
    expect(getEventById(db, last)).toMatchObject({ title: 'live', origin: 'live' });
  });

  it('leaves accounts and the ledger alone', () => {
    expect(of(db, 'SELECT name, credits FROM accounts')).toEqual([{ name: 'local', credits: 42 }]);
    expect(of(db, 'SELECT request_id FROM ledger')).toEqual([{ request_id: 'r' }]);
  });

  it('leaves a sound store, and no work for the next start', async () => {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    expect(readSetting(db, EDITION_SETTING)).toBe(readSetting(starter, EDITION_SETTING));
    expect(await renewStarter(storePath, starterPath, signal)).toBe(false);
  });
});

it('a newer package repeats an interrupted renewal', async () => {
  const path = join(directory, 'interrupted.sqlite');
  copyFileSync(starterPath, path);
  const older = openForWriting(path);
  makeOlder(older);
  const stopping = new AbortController();
  const renewal = renewStarter(path, starterPath, stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(renewal).rejects.toThrow('stopped');
  expect(readSetting(older, EDITION_SETTING)).toBe('0');
  expect(await renewStarter(path, starterPath, signal)).toBe(true);
  expect(readSetting(older, EDITION_SETTING)).not.toBe('0');
  older.close();
});

/** Vectors of starter cards, sections and events in a store, and those that are due. */
const vectorsIn = (store: Database) =>
  store
    .prepare(`
      SELECT (SELECT count(*) FROM paper_vector) + (SELECT count(*) FROM paper_passages) AS papers,
        (SELECT count(*) FROM paper_section WHERE embedding IS NOT NULL) AS sections,
        (SELECT count(*) FROM market_event_vector) AS events,
        (SELECT count(*) FROM paper WHERE digested = 1) AS papersDone,
        (SELECT count(*) FROM market_event_state WHERE vector_due = 0) AS eventsDone`)
    .get();
const NONE = { papers: 0, sections: 0, events: 0, papersDone: 0, eventsDone: 0 };

it('a newer starter adds no vectors to a shelf of another model, but queues them', async () => {
  const path = join(directory, 'other-model.sqlite');
  copyFileSync(starterPath, path);
  const other = openForWriting(path);
  other.exec(`
    UPDATE settings SET value = '0' WHERE key = '${EDITION_SETTING}';
    UPDATE settings SET value = 'other@q8/mean' WHERE key = 'embedding_model';
    UPDATE paper SET summary = 'old' WHERE id = 1;
    UPDATE macro_vintage SET value = 1 WHERE series_id = 'UNRATE';
    UPDATE market_event SET card = json_set(card, '$.title', 'old') WHERE id = (SELECT min(id) FROM market_event)`);
  expect(await renewStarter(path, starterPath, signal)).toBe(true);
  for (const table of ['paper', 'market_event']) {
    const shown = `SELECT * FROM ${table} ORDER BY id LIMIT 1`;
    const ours = { digested: expect.anything() };
    expect(of(other, shown)).toEqual(
      of(starter, shown).map((row) => Object.assign({}, row, table === 'paper' ? ours : {})),
    );
  }
  expect(readHistory(other, 'UNRATE', 12)).toEqual(readHistory(starter, 'UNRATE', 12));
  expect(vectorsIn(other)).toEqual(NONE);
  expect(storedModel(other)).toBe('other@q8/mean');
  expect(await renewStarter(path, starterPath, signal)).toBe(false);
  other.close();
});

it('the starter shelf indexes every section for quotations', () => {
  const count = (table: string) => starter.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  expect(count('paper_section_terms')).toBe(count('paper_section'));
  expect(count('paper_section')).toBeGreaterThan(100);
});

it('the edition of the starter shelf rises with every change of its data', () => {
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
  }).toEqual({ edition: 15, hash: '6d46c5d3026bfe8e' });
});
