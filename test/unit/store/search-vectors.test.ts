import { describe, expect, it } from 'vitest';
import {
  createSearchIndex,
  indexVectors,
  removeFromIndex,
} from '../../../src/store/search/index.ts';
import { listDamagedVectors } from '../../../src/store/search/vectors/checksums.ts';
import { cosineOf, DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
import { dotProducts, quantise } from '../../../src/store/search/vectors/int8.ts';
import { findNearest } from '../../../src/store/search/vectors/nearest.ts';
import { readSample } from '../../../src/store/search/vectors/sample.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { openInMemory, withVectors } from '../../vectors.ts';

const INDEX = { name: 'card', columns: { title: 1 } };

/** Pseudo-random unit vectors around a few centres, from a fixed seed. */
function clustered(count: number): Float32Array[] {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  const unit = (values: Float32Array) => {
    // `Math.hypot` takes ten times as long.
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    return values.map((value) => value / length);
  };
  const centres = Array.from({ length: 12 }, () => new Float32Array(DIMENSIONS).map(random));
  return Array.from({ length: count }, (_, index) =>
    unit((centres[index % 12] ?? new Float32Array()).map((value) => value + random())),
  );
}

function fill(vectors: readonly Float32Array[], idOf = (index: number) => index + 1) {
  const db = openInMemory();
  createSearchIndex(db, INDEX);
  db.transaction(() => {
    indexVectors(
      db,
      INDEX,
      vectors.map((vector, index) => ({ id: idOf(index), vector })),
    );
  })();
  return db;
}

describe('a quantised vector', () => {
  it('keeps cosines to within a thousandth, in order', () => {
    const [query = new Float32Array(), ...vectors] = clustered(60);
    const products = dotProducts(quantise(vectors), Float64Array.from(query));
    expect(products).toHaveLength(vectors.length);
    for (const [index, vector] of vectors.entries()) {
      expect(Math.abs((products[index] ?? 9) - cosineOf(vector, query))).toBeLessThan(0.001);
    }
  });
});

describe('the nearest cards', () => {
  const [query = new Float32Array(), ...vectors] = clustered(1_501);
  const db = fill(vectors);
  const sample = readSample(db, INDEX.name, query, vectors.length);
  const exact = vectors
    .map((vector, index) => ({ id: index + 1, cosine: cosineOf(vector, query) }))
    .sort((a, b) => b.cosine - a.cosine);
  const shareFound = (found: readonly number[]) =>
    exact.slice(0, found.length).filter(({ id }) => found.includes(id)).length / found.length;

  it('are found among those with the nearest signs, nearest first', () => {
    const found = findNearest(db, INDEX.name, query, { limit: 10, sample });
    expect(found).toHaveLength(10);
    expect(shareFound(found)).toBeGreaterThanOrEqual(0.9);
    const cosines = found.map((id) => exact.find((one) => one.id === id)?.cosine ?? 9);
    for (const [at, cosine] of cosines.slice(1).entries()) {
      expect(cosine).toBeLessThan((cosines[at] ?? 0) + 0.002);
    }
  });

  it.each([
    ['of all', undefined],
    ['that pass a filter', { from: 'card_vector c', id: 'c.id', where: 'true', params: {} }],
  ])('are missed with too few candidates %s, since the signs alone do not rank', (_, filter) => {
    const found = findNearest(db, INDEX.name, query, { limit: 10, candidates: 10, sample, filter });
    expect(shareFound(found)).toBeLessThan(0.9);
  });
});

describe('a sample of a large index', () => {
  const [query = new Float32Array(), ...vectors] = clustered(6_001);
  const db = fill(vectors);
  const sample = readSample(db, INDEX.name, query, vectors.length);

  it('gives a bound that keeps the nearest cards', () => {
    expect(sample.distances[Math.ceil(3 * 60 * sample.share)]).toBeLessThan(DIMENSIONS / 2);
    const widest = { ...sample, distances: sample.distances.map(() => DIMENSIONS) };
    for (const limit of [10, 60]) {
      const options = { limit, candidates: 60 };
      expect(findNearest(db, INDEX.name, query, { ...options, sample })).toEqual(
        findNearest(db, INDEX.name, query, { ...options, sample: widest }),
      );
    }
  });

  it('is not needed where sqlite-vec cannot read the signs', () => {
    const broken = fill(vectors);
    broken.exec("UPDATE card_bits_vector_chunks00 SET vectors = x'00'");
    const found = findNearest(broken, INDEX.name, query, { limit: 10, sample });
    expect(found).toEqual(exactly(10));
  });

  it('is not followed where it would admit too few', () => {
    const misleading = { ...sample, distances: sample.distances.map(() => 1) };
    expect(findNearest(db, INDEX.name, query, { limit: 10, sample: misleading })).toEqual(
      exactly(10),
    );
  });

  it.each([
    ['many', 2],
    ['few', 50],
  ])('leaves out what a filter rejects, where %s cards pass', (_, step) => {
    const filter = {
      from: 'card_vector c',
      id: 'c.id',
      where: 'c.id % @step = 0',
      params: { step },
    };
    const found = findNearest(db, INDEX.name, query, { limit: 10, sample, filter });
    const passing = exactly(vectors.length).filter((id) => id % step === 0);
    expect(found.every((id) => id % step === 0)).toBe(true);
    const wanted = passing.slice(0, 10);
    expect(wanted.filter((id) => found.includes(id)).length).toBeGreaterThanOrEqual(9);
  });

  /** By the cosines of the vectors as they are stored. */
  function exactly(limit: number): number[] {
    const none = { share: 1, distances: [], backgroundCosine: 0 };
    return findNearest(db, INDEX.name, query, { limit, sample: none });
  }
});

describe('the signs of the vectors', () => {
  const idsOf = (db: ReturnType<typeof fill>) =>
    db.prepare('SELECT rowid FROM card_bits ORDER BY rowid').pluck().all();

  it('follow what is written, replaced and removed', () => {
    const [first, second, third] = clustered(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    const db = fill([first, second]);
    const bitsOf = (id: number) =>
      db.prepare('SELECT bits FROM card_bits WHERE rowid = ?').pluck().get(id);
    const before = bitsOf(1);
    indexVectors(db, INDEX, [{ id: 1, vector: third }]);
    expect(bitsOf(1)).not.toEqual(before);
    removeFromIndex(db, INDEX, 2);
    expect(idsOf(db)).toEqual([1]);
    expect(listDamagedVectors(db, INDEX.name)).toEqual([]);
  });

  it('go back with a transaction that fails', () => {
    const [first = new Float32Array(), second = new Float32Array()] = clustered(2);
    const db = fill([first]);
    const broken = db.transaction(() => {
      indexVectors(db, INDEX, [{ id: 2, vector: second }]);
      throw new Error('broken');
    });
    expect(broken).toThrow('broken');
    expect(idsOf(db)).toEqual([1]);
  });

  it('are made of all vectors where the first of them were written without sqlite-vec', () => {
    const [first = new Float32Array(), ...others] = clustered(4);
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    const vectors = others.map((vector, index) => ({ id: index + 1, vector }));
    indexVectors(db, INDEX, vectors);
    withVectors(db);
    indexVectors(db, INDEX, [{ id: 9, vector: first }]);
    expect(idsOf(db)).toEqual([1, 2, 3, 9]);
    expect(listDamagedVectors(db, INDEX.name)).toEqual([]);
  });

  it.each([
    ['are missing', 'DELETE FROM card_bits WHERE rowid = 2'],
    [
      'are those of another vector',
      `DELETE FROM card_bits WHERE rowid = 2;
       INSERT INTO card_bits (rowid, bits) VALUES (2, vec_bit(zeroblob(48)))`,
    ],
  ])('count as damaged where they %s', (_, sql) => {
    const db = fill(clustered(3));
    db.exec(sql);
    expect(listDamagedVectors(db, INDEX.name)).toEqual([2]);
  });
});

describe('the background of a query', () => {
  it.each([
    ['a small index', 300, (index: number) => index + 1],
    ['a large one', 4_000, (index: number) => index + 1],
    ['a large one with gaps', 4_000, (index: number) => 10_000 + index * 7 + (index % 3)],
  ])('has the mean of all cosines in %s', (_, count, idOf) => {
    const [query = new Float32Array(), ...vectors] = clustered(count + 1);
    const db = fill(vectors, idOf);
    const cosines = vectors.map((vector) => cosineOf(vector, query));
    const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / count;
    const { backgroundCosine } = readSample(db, INDEX.name, query, count);
    expect(Math.abs(backgroundCosine - mean)).toBeLessThan(0.02);
  });
});
