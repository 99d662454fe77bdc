import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDamage, mendArea, sealStore } from '../../../src/app/checksums.ts';
import { migrations } from '../../../src/app/migrations.ts';
import { insertVintages, upsertCatalogue } from '../../../src/areas/macro/ingest.ts';
import { readHistory, valueAsKnownOn } from '../../../src/areas/macro/queries.ts';
import { eventIndex } from '../../../src/areas/markets/tables.ts';
import { insertPapers, type Paper } from '../../../src/areas/papers/ingest.ts';
import { listSections } from '../../../src/areas/papers/queries.ts';
import { paperIndex } from '../../../src/areas/papers/tables.ts';
import { checkStore } from '../../../src/cli/doctor/store.ts';
import { storePath } from '../../../src/config.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { indexVectors } from '../../../src/store/search/index.ts';
import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
import { readPassages, readVectors } from '../../../src/store/search/vectors/nearest.ts';

const AT = new Date('2026-11-22T10:00:00Z');
let home: string;
let db: Database;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'quantshelf-rot-'));
  db = openForWriting(storePath(home));
  fill(db);
});
afterEach(() => {
  db.close();
  rmSync(home, { recursive: true, force: true });
});

const unit = (at: number) => Float32Array.from({ length: DIMENSIONS }, (_, i) => Number(i === at));

function fill(store: Database): void {
  migrate(store, migrations, AT);
  upsertCatalogue(store, [
    {
      seriesId: 'DGS10',
      indicator: 'us.treasury.10y',
      category: 'Rates',
      title: '10-year',
      frequency: 'Daily',
      nativeFrequency: 'Daily',
      units: 'Percent',
      seasonalAdjustment: '',
      source: 'Board',
      copyrightStatus: 'public domain',
    },
  ]);
  insertVintages(store, {
    seriesId: 'DGS10',
    origin: 'starter',
    taken: AT.toISOString(),
    lastUpdated: '2026-11-20',
    vintages: [
      { date: '2026-11-18', value: 4.1, rtStart: '2026-11-19', rtEnd: null, exact: true },
      { date: '2026-11-18', value: 4.2, rtStart: '2026-11-20', rtEnd: null, exact: true },
      { date: '2026-11-19', value: null, rtStart: '2026-11-20', rtEnd: null, exact: true },
    ],
  });
  insertPapers(store, [PAPER]);
  indexVectors(store, eventIndex, [{ id: 7, vector: unit(2), passages: [unit(3)] }]);
}

const PAPER: Paper = {
  sourceId: 'arxiv:2609.00001',
  version: 1,
  title: 'A title',
  authors: ['Ada'],
  abstract: 'An abstract.',
  summary: 'A summary.',
  tags: [],
  categories: ['q-fin.PM'],
  published: '2026-09-01',
  licenseUrl: null,
  pdfUrl: 'https://arxiv.org/pdf/2609.00001',
  origin: 'starter',
  asOf: AT.toISOString(),
  vector: unit(0),
  sections: [
    { key: 'abstract', type: 'abstract', title: 'Abstract', content: 'Text.', vectors: [unit(1)] },
  ],
};

const UNSEALED = `
  SELECT (SELECT count(*) FROM macro_vintage WHERE checksum IS NULL)
    + (SELECT count(*) FROM paper_section WHERE checksum IS NULL OR embedding_checksum IS NULL)
    + (SELECT count(*) FROM paper_vector WHERE checksum IS NULL)
    + (SELECT count(*) FROM paper_passages WHERE checksum IS NULL)
    + (SELECT count(*) FROM market_event_vector WHERE checksum IS NULL)
    + (SELECT count(*) FROM market_event_passages WHERE checksum IS NULL)`;
const unsealed = () => db.prepare(UNSEALED).pluck().get();
const damage = () => findDamage(db).map(({ what }) => what);
/** Changes a row as the disk would: the checksum stays what it was. */
function rot(table: string, assignment: string, where = 'true'): void {
  const trigger = db
    .prepare<[], string>("SELECT sql FROM sqlite_master WHERE name = 'macro_vintage_changed'")
    .pluck()
    .get();
  db.exec(`DROP TRIGGER macro_vintage_changed; UPDATE ${table} SET ${assignment} WHERE ${where}`);
  db.exec(trigger ?? '');
}
const FLIPPED = "CAST(x'00' || substr(vector, 2) AS BLOB)";

describe('what is written', () => {
  it('has its checksums at once, and they fit', () => {
    expect(unsealed()).toBe(0);
    expect(findDamage(db)).toEqual([]);
    expect(readHistory(db, 'DGS10', 5)?.rows).toMatchObject([{ value: 4.2, first: 4.1 }, {}]);
  });

  it('loses that of a figure that a statement changes, until the series is sealed again', () => {
    db.exec("UPDATE macro_vintage SET value = 5 WHERE rt_end IS NULL AND date = '2026-11-18'");
    expect(unsealed()).toBe(1);
    expect(readHistory(db, 'DGS10', 5)?.rows[0]).toMatchObject({ value: 5 });
    expect(findDamage(db)).toEqual([]);
  });

  it('gets them later in a store of an older version, once', async () => {
    const tables = ['macro_vintage', 'paper_section', 'paper_vector', 'paper_passages'];
    for (const table of [...tables, 'market_event_vector', 'market_event_passages']) {
      db.exec(`UPDATE ${table} SET checksum = NULL`);
    }
    expect(unsealed()).toBeGreaterThan(6);
    await sealStore(storePath(home), new AbortController().signal);
    expect(unsealed()).toBe(0);
    expect(findDamage(db)).toEqual([]);
    db.exec('UPDATE paper_vector SET checksum = NULL');
    await sealStore(storePath(home), new AbortController().signal);
    expect(unsealed()).toBe(1);
  });
});

describe('what changes on the disk', () => {
  const first = () => db.prepare<[], number>('SELECT id FROM paper').pluck().get() ?? 0;

  it.each([
    ['a figure', 'macro_vintage', 'value = 9.9', () => readHistory(db, 'DGS10', 5)],
    ['the value before', 'macro_vintage', 'value = 9', () => readHistory(db, 'DGS10', 5)],
    [
      'a publication date',
      'macro_vintage',
      "rt_start = '2026-11-17'",
      () => valueAsKnownOn(db, 'DGS10', '2026-11-18', '2026-11-19'),
    ],
    ['a text', 'paper_section', "content = 'Texx.'", () => listSections(db, first())],
    ['a vector', 'paper_vector', `vector = ${FLIPPED}`, () => readVectors(db, 'paper', [first()])],
    ['signs', 'paper_vector', 'signs = zeroblob(48)', () => readVectors(db, 'paper', [first()])],
    [
      'passages',
      'market_event_passages',
      'vectors = zeroblob(388)',
      () => readPassages(db, eventIndex.name, [7]),
    ],
  ])('%s: is an error with a remedy and never served', (what, table, assignment, read) => {
    const where = what === 'a figure' ? 'value = 4.2' : 'true';
    rot(table, assignment, table === 'macro_vintage' && where === 'true' ? 'value = 4.1' : where);
    expect(read).toThrow(ServiceError);
    expect(read).toThrow(/damaged on the disk.*`quantshelf sync/);
    expect(findDamage(db)).toHaveLength(1);
  });

  it('is found in the vectors of a text by doctor --deep', () => {
    rot('paper_section', 'embedding = zeroblob(1536)');
    expect(damage()).toEqual(['the text of arxiv:2609.00001']);
  });

  it('is named by doctor --deep alone, with what mends it', async () => {
    rot('macro_vintage', 'value = 9', 'value = 4.1');
    rot('paper_section', "content = 'x'");
    rot('market_event_vector', 'signs = zeroblob(48)');
    const named = async (deep: boolean) =>
      (await checkStore(home, deep)).find(({ name }) => name === 'checksums');
    await expect(named(false)).resolves.toBeUndefined();
    const check = await named(true);
    expect(check).toMatchObject({ ok: false });
    expect(check?.detail).toContain(
      'the text of arxiv:2609.00001, 1 values of DGS10, the search vectors of 1 events',
    );
    expect(check?.fix).toMatch(/sync papers.*sync macro.*sync markets/);
  });

  it('is taken from the starter, or dropped so that the next sync makes it again', () => {
    const starterPath = join(home, 'starter.sqlite');
    const starter = openForWriting(starterPath);
    fill(starter);
    starter.close();
    rot('macro_vintage', 'value = 9', 'value = 4.1');
    db.exec("UPDATE macro_series SET last_vintage = '2026-11-20', next_due = '2027-01-01'");
    rot('paper_section', "content = 'x'");
    rot('paper_passages', 'vectors = zeroblob(388)');
    rot('market_event_vector', 'signs = zeroblob(48)');
    expect(damage()).toHaveLength(4);
    for (const area of ['papers', 'macro', 'markets'] as const) {
      expect(mendArea(db, area, starterPath).length).toBeGreaterThan(0);
      expect(mendArea(db, area, starterPath)).toEqual([]);
    }
    expect(damage()).toEqual([]);
    expect(readHistory(db, 'DGS10', 5)?.rows[0]).toMatchObject({ value: 4.2, first: 4.1 });
    expect(db.prepare('SELECT last_vintage, next_due FROM macro_series').get()).toEqual({
      last_vintage: null,
      next_due: null,
    });
    expect(listSections(db, first())[0]).toMatchObject({ content: 'Text.' });
    expect(readVectors(db, paperIndex.name, [first()]).size).toBe(0);
    expect(db.prepare('SELECT digested FROM paper').pluck().get()).toBe(0);
  });
});
