import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertEvents } from '../../../scripts/starter/insert-events.ts';
import { insertPapers, type Paper } from '../../../scripts/starter/insert-papers.ts';
import { bundleFigures } from '../../../scripts/starter/macro-fill.ts';
import { findDamage, mendArea } from '../../../src/app/checksums.ts';
import { migrations } from '../../../src/app/migrations.ts';
import { upsertCatalogue } from '../../../src/areas/macro/bundle-ingest.ts';
import { readHistory } from '../../../src/areas/macro/queries.ts';
import { prepareInsert } from '../../../src/areas/macro/vintage-ingest.ts';
import { listPriceHistories } from '../../../src/areas/markets/prices/queries.ts';
import { getEventById, listMarkets } from '../../../src/areas/markets/queries.ts';
import { parseGammaEvent } from '../../../src/areas/markets/source.ts';
import { recordMissing } from '../../../src/areas/markets/sync/ingest.ts';
import { eventIndex } from '../../../src/areas/markets/tables.ts';
import { storeDigests } from '../../../src/areas/papers/ingest.ts';
import { getPaperById, listSections } from '../../../src/areas/papers/queries.ts';
import { storeVersion, upsertRecord } from '../../../src/areas/papers/sync/record-ingest.ts';
import { paperIndex } from '../../../src/areas/papers/tables.ts';
import { checkStore } from '../../../src/cli/doctor/store.ts';
import { storePath } from '../../../src/config.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { DIMENSIONS } from '../../../src/search/float32.ts';
import { indexVectors } from '../../../src/search/profile.ts';
import { readVectors } from '../../../src/search/vectors.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { resealPapers } from '../../reseal.ts';
import { makeWireEvent, makeWireMarket } from '../../stand-ins/polymarket.ts';

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

const SERIES = {
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
};

function fill(store: Database): void {
  migrate(store, migrations, AT);
  upsertCatalogue(store, [SERIES]);
  bundleFigures(store, {
    seriesId: 'DGS10',
    taken: AT.toISOString(),
    lastUpdated: '2026-11-20',
    vintages: [
      { date: '2026-11-18', value: 4.1, rtStart: '2026-11-19', rtEnd: '2026-11-19', exact: 1 },
      { date: '2026-11-18', value: 4.2, rtStart: '2026-11-20', rtEnd: null, exact: 1 },
      { date: '2026-11-19', value: null, rtStart: '2026-11-20', rtEnd: null, exact: 1 },
    ],
  });
  insertPapers(store, [PAPER]);
  storeEvent(store, 0.4, AT);
  indexVectors(store, eventIndex, [{ id: 7, vector: unit(2), passages: [unit(3)] }]);
}

/** Event 7, of two markets, as Polymarket lists it at `at`. */
function storeEvent(store: Database, price: number, at: Date): void {
  const facts = parseGammaEvent(makeWireEvent({ id: 7, prices: [price, price / 2] }));
  const seenAt = at.toISOString();
  insertEvents(store, [{ facts, seenAt, origin: 'polymarket', vector: null }]);
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

const damage = () => findDamage(db).map(({ what }) => what);
/** Changes a row as the disk would: the checksum stays what it was. */
function rot(table: string, assignment: string, where = 'true'): void {
  db.exec(`UPDATE ${table} SET ${assignment} WHERE ${where}`);
}
const CUT = 'vector = zeroblob(9)';

describe('what is written', () => {
  it('has its checksums at once, and they fit', () => {
    expect(findDamage(db)).toEqual([]);
    expect(readHistory(db, 'DGS10', 5)?.rows).toMatchObject([
      { value: 4.2, first: { value: 4.1 } },
      {},
    ]);
  });

  it.each([
    ['macro_vintage', 'checksum'],
    ['paper', 'checksum'],
    ['paper_section', 'checksum'],
    ['paper_section', 'embedding_checksum'],
    ['market_event', 'checksum'],
    ['market', 'checksum'],
    ['market', 'prices_checksum'],
  ])('never lacks one: %s, %s', (table, column) => {
    expect(() => db.exec(`UPDATE ${table} SET ${column} = NULL`)).toThrow(/constraint failed/);
  });

  it('fits where a text is half a character, which the store cannot hold', () => {
    const half = '\ud83d';
    const cutInTwo = `${'x'.repeat(99)}🙂`;
    const market = makeWireMarket(9, 0.4, { question: `Who${half}?`, groupItemTitle: half });
    const texts = { title: `A${half}B`, description: `${half}!`, resolutionSource: `x${half}` };
    const wire = makeWireEvent({ id: 8, tagSlugs: ['economy', cutInTwo] });
    const facts = parseGammaEvent({ ...wire, ...texts, markets: [market] });
    const delivery = { facts, seenAt: AT.toISOString(), vector: null };
    insertEvents(db, [{ ...delivery, origin: 'polymarket' }]);
    expect(getEventById(db, 8)?.title).toBe('AB');
    expect(listMarkets(db, 8)[0]?.question).toBe('Who?');
    expect(findDamage(db)).toEqual([]);
  });

  it('keeps those of cards in step, whatever writes them', () => {
    const id = db.prepare<[], number>('SELECT id FROM paper').pluck().get() ?? 0;
    const expectSealed = (what: string) => expect(findDamage(db), what).toEqual([]);
    const { abstract, authors, categories } = PAPER;
    const metadata = {
      ...{ title: 'Another title', authors: [...authors], abstract, categories: [...categories] },
      ...{ created: '2026-09-01', updated: null, comment: null, journalRef: null },
      ...{ doi: '10.1000/one', licenseUrl: null },
    };
    const record = (day: string, more: object) => ({
      ...{ id: '2609.00001', datestamp: day },
      metadata: { ...metadata, ...more },
    });
    upsertRecord(db, record('2026-09-02', {}), AT);
    upsertRecord(db, { ...record('2026-09-02', {}), id: '2609.00002' }, AT);
    expect(getPaperById(db, id)?.title).toBe('Another title');
    expectSealed('a harvest');
    upsertRecord(db, record('2026-09-03', { comment: 'Revised.' }), AT);
    expect(getPaperById(db, id)?.comment).toBe('Revised.');
    expectSealed('facts alone');
    const version = { ...metadata, id: '2609.00001', version: 2 };
    storeVersion(db, { ...version, published: '2026-09-01', updated: '2026-09-04' }, AT);
    expect(getPaperById(db, id)?.version).toBe(2);
    expectSealed('a version');
    const digest = { id, title: 'Another title', abstract, summary: 'New.', tags: ['a tag'] };
    storeDigests(db, [{ ...digest, vector: unit(5), passages: [unit(6)] }]);
    expect(getPaperById(db, id)?.summary).toBe('New.');
    expectSealed('a digest');
    storeEvent(db, 0.6, new Date(AT.getTime() + 60_000));
    expect(listMarkets(db, 7)[0]?.outcomes[0]?.probability).toBe(0.6);
    expect(listPriceHistories(db, 7).get(0)?.past).toHaveLength(1);
    expectSealed('new odds');
    recordMissing(db, 7, AT);
    expect(recordMissing(db, 7, new Date(AT.getTime() + 48 * 3_600_000))).toBe(true);
    expect(getEventById(db, 7)?.status).toBe('inactive');
    expectSealed('an event that is gone');
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
      () => readHistory(db, 'DGS10', 5),
    ],
    ['a text', 'paper_section', "content = 'Texx.'", () => listSections(db, first())],
    ['a title', 'paper', "title = 'A titld'", () => getPaperById(db, first())],
    ['an author', 'paper', 'authors = \'["Bob"]\'', () => getPaperById(db, first())],
    ['an event', 'market_event', "description = 'x'", () => getEventById(db, 7)],
    [
      'a probability',
      'market',
      "outcomes = replace(outcomes, '0.4', '0.9')",
      () => listMarkets(db, 7),
    ],
    ['an earlier price', 'market', 'price_since = 1', () => listPriceHistories(db, 7)],
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
    rot('market_event_vector', CUT);
    rot('paper', "abstract = 'x'");
    rot('market', "question = 'x'", 'position = 1');
    const named = async (deep: boolean) =>
      (await checkStore(home, deep)).find(({ name }) => name === 'checksums');
    await expect(named(false)).resolves.toBeUndefined();
    const check = await named(true);
    expect(check).toMatchObject({ ok: false });
    expect(check?.detail).toContain(
      'the card of arxiv:2609.00001, the text of arxiv:2609.00001, 1 values of DGS10, event pme_7, ' +
        'the search vectors of 1 events',
    );
    expect(check?.fix).toMatch(/sync papers.*sync macro.*sync markets/);
  });

  it.each([0, 3, 10])('is found where a vector has %i bytes left', (bytes) => {
    rot('market_event_vector', `vector = zeroblob(${bytes})`);
    expect(damage()).toEqual(['the search vectors of 1 events']);
  });

  it('is taken from the starter, or dropped so that the next sync makes it again', () => {
    const starterPath = join(home, 'starter.sqlite');
    const starter = openForWriting(starterPath);
    fill(starter);
    starter.close();
    rot('macro_vintage', 'value = 9', 'value = 4.1');
    db.exec("UPDATE macro_series SET last_vintage = '2026-11-20', next_due = '2027-01-01'");
    rot('paper_section', "content = 'x'");
    rot('paper_passages', 'vectors = zeroblob(9)');
    rot('market_event_vector', CUT);
    expect(damage()).toHaveLength(4);
    for (const area of ['papers', 'macro', 'markets'] as const) {
      expect(mendArea(db, area, starterPath).length).toBeGreaterThan(0);
      expect(mendArea(db, area, starterPath)).toEqual([]);
    }
    expect(damage()).toEqual([]);
    expect(readHistory(db, 'DGS10', 5)?.rows[0]).toMatchObject({
      value: 4.2,
      first: { value: 4.1 },
    });
    expect(db.prepare('SELECT last_vintage, next_due FROM macro_series').get()).toEqual({
      last_vintage: null,
      next_due: null,
    });
    expect(listSections(db, first())[0]).toMatchObject({ content: 'Text.' });
    expect(readVectors(db, paperIndex.name, [first()]).size).toBe(0);
    expect(db.prepare('SELECT digested FROM paper').pluck().get()).toBe(0);
  });

  it('leaves a paper of arXiv its own abstract, under its notes, and not our digest', () => {
    const starterPath = join(home, 'starter.sqlite');
    const starter = openForWriting(starterPath);
    fill(starter);
    starter.exec("UPDATE paper_section SET content = 'Text.'");
    resealPapers(starter);
    starter.close();
    const metadata = {
      ...{
        title: 'A title',
        authors: ['Ada'],
        abstract: 'By the authors.',
        categories: ['q-fin.PM'],
      },
      ...{ created: '2026-09-01', updated: null, comment: null, journalRef: null },
      ...{ doi: null, licenseUrl: null },
    };
    for (const id of ['2609.00001', '2609.00002']) {
      upsertRecord(db, { id, datestamp: '2026-09-02', metadata }, AT);
    }
    rot('paper_section', "content = 'x'");
    expect(mendArea(db, 'papers', starterPath)).toHaveLength(2);
    expect(damage()).toEqual([]);
    for (const { id } of db.prepare<[], { id: number }>('SELECT id FROM paper').all()) {
      expect(listSections(db, id)).toMatchObject([{ key: 'abstract', content: 'By the authors.' }]);
    }
  });

  it('costs no other series what an agency has revised', () => {
    const starterPath = join(home, 'starter.sqlite');
    const starter = openForWriting(starterPath);
    fill(starter);
    for (const store of [db, starter]) {
      upsertCatalogue(store, [
        SERIES,
        { ...SERIES, seriesId: 'UNRATE', indicator: 'us.unemployment' },
      ]);
      bundleFigures(store, {
        seriesId: 'UNRATE',
        taken: AT.toISOString(),
        lastUpdated: '2026-11-06',
        vintages: [
          { date: '2026-10-01', value: 4.4, rtStart: '2026-11-06', rtEnd: null, exact: 1 },
        ],
      });
    }
    starter.close();
    db.exec("DELETE FROM macro_vintage WHERE series_id = 'UNRATE'");
    const insert = prepareInsert(db);
    const revised = { date: '2026-10-01', exact: 1 } as const;
    insert('UNRATE', { ...revised, value: 4.4, rtStart: '2026-11-06', rtEnd: '2026-12-03' });
    insert('UNRATE', { ...revised, value: 4.5, rtStart: '2026-12-04', rtEnd: null });
    rot('macro_vintage', 'value = 9', 'value = 4.1');
    expect(mendArea(db, 'macro', starterPath)).toHaveLength(1);
    expect(damage()).toEqual([]);
    expect(readHistory(db, 'UNRATE', 5)?.rows).toMatchObject([
      { value: 4.5, first: { value: 4.4 } },
    ]);
  });

  it('leaves a damaged series as it is where the starter cannot be read', () => {
    const starterPath = join(home, 'starter.sqlite');
    const starter = openForWriting(starterPath);
    fill(starter);
    starter.exec('DROP TABLE macro_vintage');
    starter.close();
    rot('macro_vintage', 'value = 9', 'value = 4.1');
    expect(() => mendArea(db, 'macro', starterPath)).toThrow();
    expect(damage()).toEqual(['1 values of DGS10']);
  });

  it('is taken from the starter where a card is damaged, or removed; every record is asked for', () => {
    const starterPath = join(home, 'starter.sqlite');
    const starter = openForWriting(starterPath);
    fill(starter);
    starter.exec('DELETE FROM market_event');
    starter.close();
    insertPapers(db, [{ ...PAPER, sourceId: 'arxiv:2609.00002', origin: 'arxiv' }]);
    db.exec("INSERT INTO harvest (set_name, next_from) VALUES ('q-fin', '2026-11-01')");
    rot('paper', "title = 'x'");
    rot('market', "outcomes = replace(outcomes, '0.4', '0.9')");
    expect(damage()).toHaveLength(3);
    for (const area of ['papers', 'markets'] as const) {
      expect(mendArea(db, area, starterPath).length).toBeGreaterThan(0);
      expect(mendArea(db, area, starterPath)).toEqual([]);
    }
    expect(db.prepare('SELECT source_id, title FROM paper').all()).toEqual([
      { source_id: 'arxiv:2609.00001', title: 'A title' },
    ]);
    expect(db.prepare('SELECT count(*) FROM harvest').pluck().get()).toBe(0);
    expect(getEventById(db, 7)).toBeUndefined();
    expect(readVectors(db, eventIndex.name, [7]).size).toBe(0);
  });
});
