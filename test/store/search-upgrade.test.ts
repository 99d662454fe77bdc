import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { describe, expect, it } from 'vitest';
import { searchHybrid } from '../../src/store/search/search.ts';
import { indexVectors, indexWords } from '../../src/store/search/search-index.ts';
import { upgradeSearchIndex } from '../../src/store/search/upgrade.ts';
import { DIMENSIONS, vectorBlob } from '../../src/store/vectors.ts';

const INDEX = { name: 'card', columns: { title: 2, body: 1 } };

function axis(at: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[at] = 1;
  return vector;
}

/** An index of the first form, its vectors in vec0, as a file that no extension has open. */
function oldStore(count: number): Buffer {
  const db = new Database(':memory:');
  sqliteVec.load(db);
  db.exec(`
    CREATE VIRTUAL TABLE card_words USING fts5(title, body, content = '', contentless_delete = 1);
    CREATE VIRTUAL TABLE card_vectors USING vec0(
      embedding float[${DIMENSIONS}] distance_metric=cosine
    )`);
  const insert = db.prepare('INSERT INTO card_vectors (rowid, embedding) VALUES (?, ?)');
  for (let id = 1; id <= count; id += 1) {
    insert.run(BigInt(id), vectorBlob(axis(id % DIMENSIONS)));
  }
  db.exec('DELETE FROM card_vectors WHERE rowid = 2');
  return db.serialize();
}

describe('an index of the first form', () => {
  it('gives its vectors without the extension, and becomes one of the present form', async () => {
    const db = new Database(oldStore(1_500));
    const vectors = db.transaction(() => upgradeSearchIndex(db, INDEX)).immediate();
    expect(vectors?.size).toBe(1_499);
    expect(vectors?.get(1_234)).toEqual(axis(1_234 % DIMENSIONS));
    expect(vectors?.has(2)).toBe(false);
    indexWords(db, INDEX, 7, { title: 'swap', body: '' });
    indexVectors(db, INDEX, [{ id: 7, vector: vectors?.get(7) ?? axis(0) }]);
    const hits = await searchHybrid(db, INDEX, { text: 'swap', vector: axis(7), limit: 5 });
    expect(hits.map(({ id }) => id)).toEqual([7]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(
      db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'card_vectors%'").all(),
    ).toEqual([]);
    db.close();
  });

  it('leaves one of the present form alone', () => {
    const db = new Database(oldStore(3));
    db.transaction(() => upgradeSearchIndex(db, INDEX)).immediate();
    expect(upgradeSearchIndex(db, INDEX)).toBeNull();
    db.close();
  });
});
