import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { openForWriting } from '../../../src/store/open.ts';
import {
  createSearchIndex,
  indexVectors,
  type SearchIndex,
} from '../../../src/store/search/index.ts';
import { writeStems } from '../../../src/store/search/lexical/fts.ts';
import type { VectorSeries } from './vectors.ts';
import type { Vocabulary } from './words.ts';

/** Words of a card, by column; about as many as an abstract has besides stop words. */
const TITLE = 9;
const ABSTRACT = 65;
const TAGS = 3;
const AUTHORS = 5;
/** Sentence vectors per card. */
const PASSAGES = 3;
const PASSAGE_POOL = 997;
const AT_ONCE = 128 * 32;
/** A larger hash reduces merging while the index is filled. */
const HASH_BYTES = 32 << 20;
const USUAL_HASH_BYTES = 1 << 20;
/** Years over which the cards are spread, for the benchmark's filters. */
export const YEARS = 20;

/** Vectors and words for the cards. */
export interface Material {
  series: VectorSeries;
  vocabulary: Vocabulary;
}

/** Creates an empty index, and a table `card` with years to filter by. */
export function createStore(path: string, index: SearchIndex): void {
  const db = openForWriting(path);
  createSearchIndex(db, index);
  db.exec('CREATE TABLE card (id INTEGER PRIMARY KEY, year INTEGER NOT NULL) STRICT');
  db.close();
}

/**
 * Adds the cards with ids `from` to `to` (included) as the areas write them, except for stemming:
 * the vocabulary consists of stems.
 */
export function fillStore(
  path: string,
  index: SearchIndex,
  from: number,
  to: number,
  material: Material,
): void {
  const db = openForWriting(path);
  // The store is deleted after the run.
  db.pragma('synchronous = OFF');
  setHashSize(db, index, HASH_BYTES);
  for (let start = from; start <= to; start += AT_ONCE) {
    const end = Math.min(to + 1, start + AT_ONCE);
    db.transaction(() => fillPart(db, index, start, end, material))();
    db.pragma('wal_checkpoint(PASSIVE)');
  }
  setHashSize(db, index, USUAL_HASH_BYTES);
  db.exec('ANALYZE');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  flush(path);
}

/** Flushes a file to disk, so that later writes do not disturb the measurements. */
export function flush(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Sets how much FTS5 buffers before it writes. */
function setHashSize(db: Database, { name }: SearchIndex, bytes: number): void {
  db.exec(`INSERT INTO ${name}_terms (${name}_terms, rank) VALUES ('hashsize', ${bytes})`);
}

function fillPart(
  db: Database,
  index: SearchIndex,
  start: number,
  end: number,
  { series, vocabulary }: Material,
): void {
  const { columns } = index;
  const addCard = db.prepare('INSERT INTO card VALUES (@id, @year)');
  for (let id = start; id < end; id += 1) {
    const lengths = [TITLE, ABSTRACT, TAGS, AUTHORS];
    const stems = vocabulary.draw(TITLE + ABSTRACT + TAGS + AUTHORS, id);
    const fields = Object.keys(columns).map((column, at) => {
      return [column, stems.splice(0, lengths[at] ?? 0)] as const;
    });
    writeStems(db, index.name, id, Object.fromEntries(fields));
    const passages = Array.from({ length: PASSAGES }, (_, at) =>
      series((id * PASSAGES + at) % PASSAGE_POOL),
    );
    indexVectors(db, index, [{ id, vector: series(id - 1), passages }]);
    addCard.run({ id, year: 2_000 + (id % YEARS) });
  }
}
