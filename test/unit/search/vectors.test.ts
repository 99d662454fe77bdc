import { describe, expect, it } from 'vitest';
import { indexVectors } from '../../../src/search/profile.ts';
import {
  cosineOf,
  DIMENSIONS,
  dropDamagedVectors,
  findNearest,
  listDamagedVectors,
  readVectors,
} from '../../../src/search/vectors.ts';
import { createSearchIndex } from '../../search.ts';
import { openInMemory } from '../../vectors.ts';

const INDEX = { name: 'card', columns: { title: 1 } };

/** Pseudo-random unit vectors around a few centres, from a fixed seed. */
function clustered(count: number): Float32Array[] {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  const unit = (values: Float32Array) => {
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    return values.map((value) => value / length);
  };
  const centres = Array.from({ length: 12 }, () => new Float32Array(DIMENSIONS).map(random));
  return Array.from({ length: count }, (_, index) =>
    unit((centres[index % 12] ?? new Float32Array()).map((value) => value + random())),
  );
}

function fill(vectors: readonly Float32Array[]) {
  const db = openInMemory();
  createSearchIndex(db, INDEX);
  db.transaction(() => {
    indexVectors(
      db,
      INDEX,
      vectors.map((vector, index) => ({ id: index + 1, vector })),
    );
  })();
  return db;
}

it('stored vectors of the wrong length are skipped in searches, and can be listed and dropped', () => {
  const [query = new Float32Array(), ...vectors] = clustered(5);
  const db = fill(vectors);
  db.exec("UPDATE card_vector SET vector = x'0102' WHERE id = 2");
  db.exec("UPDATE card_passages SET vectors = x'0102' WHERE id = 3");
  db.exec("UPDATE card_vector SET signs = x'0102' WHERE id = 4");
  expect(listDamagedVectors(db, INDEX.name)).toEqual([2, 3, 4]);
  expect(findNearest(db, INDEX.name, query, { limit: 9, cards: 3 }).toSorted()).toEqual([1, 3]);
  expect([...readVectors(db, INDEX.name, [1, 2, 3]).keys()]).toEqual([1, 3]);
  const due: number[] = [];
  dropDamagedVectors(db, INDEX.name, (_, id) => due.push(id));
  expect(due).toEqual([2, 3, 4]);
  expect(listDamagedVectors(db, INDEX.name)).toEqual([]);
  expect([...readVectors(db, INDEX.name, [1, 2, 3, 4]).keys()]).toEqual([1]);
});

describe('the nearest cards', () => {
  const [query = new Float32Array(), ...vectors] = clustered(1_501);
  const db = fill(vectors);
  const exact = vectors
    .map((vector, index) => ({ id: index + 1, cosine: cosineOf(vector, query) }))
    .sort((a, b) => b.cosine - a.cosine);

  it('are those with the largest cosines, except for rounding, nearest first', () => {
    const nearest = findNearest(db, INDEX.name, query, { limit: 10, cards: vectors.length });
    const best = exact.slice(0, 12).map(({ id }) => id);
    expect(nearest.filter((id) => best.includes(id))).toHaveLength(10);
    const cosines = nearest.map((id) => exact.find((one) => one.id === id)?.cosine ?? 9);
    for (const [at, cosine] of cosines.slice(1).entries()) {
      expect(cosine).toBeLessThan((cosines[at] ?? 0) + 0.002);
    }
  });

  it.each([
    [1_500, 1_000],
    [30_000, 1_000],
    [36_000, 1_200],
  ])(
    'in an index of %d cards are chosen from the %d nearest by signs, and any tied with these',
    (cards, least) => {
      const { length } = findNearest(db, INDEX.name, query, { limit: 9_999, cards });
      expect(length).toBeGreaterThanOrEqual(least);
      expect(length).toBeLessThan(1.1 * least);
    },
  );

  it.each([
    ['c.id % 50 = 0', (id: number) => id % 50 === 0],
    ['c.id % 4 > 0', (id: number) => id % 4 > 0],
  ] as const)('all pass the filter "%s"', (where, passes) => {
    const filter = { from: 'card_vector c', id: 'c.id', where, params: {} };
    const nearest = findNearest(db, INDEX.name, query, { limit: 30, cards: 0, filter });
    const best = exact.filter(({ id }) => passes(id)).slice(0, 40);
    expect(nearest).toHaveLength(30);
    expect(best.map(({ id }) => id)).toEqual(expect.arrayContaining(nearest));
  });
});
