import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEAD, Leaders } from '../../src/store/search/leaders.ts';
import { withMatrix } from '../../src/store/search/matrix.ts';
import { createSearchIndex, indexVectors } from '../../src/store/search/search-index.ts';
import { createPause } from '../../src/store/search/turns.ts';
import { DIMENSIONS } from '../../src/store/vectors.ts';

describe('a pause', () => {
  it('lets other work run once this work has held the thread for long, and not before', async () => {
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
    onTestFinished(() => clock.mockRestore());
    let others = 0;
    const tick = () => {
      others += 1;
      if (others < 1_000) setImmediate(tick);
    };
    setImmediate(tick);
    const pause = createPause();
    await pause();
    expect(others).toBe(0);
    for (let step = 1; step <= 3; step += 1) {
      time += 20;
      await pause();
      expect(others).toBeGreaterThanOrEqual(step);
    }
    others = 1_000;
  });
});

describe('leaders', () => {
  const rows = fc.array(
    fc.record({ cosine: fc.integer({ min: -5, max: 5 }), isDead: fc.boolean() }),
    { maxLength: 60 },
  );

  it('are the first of all that were offered, by cosine and then by id, in whatever slices', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 20 }), fc.nat(60), (all, depth, cut) => {
        const cosines = Float32Array.from(all, ({ cosine }) => cosine);
        // Later rows have the smaller ids.
        const ids = Float64Array.from(all, ({ isDead }, row) => (isDead ? DEAD : 1_000 - row));
        const leaders = new Leaders({ cosines, ids }, depth);
        const middle = Math.min(cut, all.length);
        leaders.offer(0, middle);
        leaders.offer(middle, all.length);
        const expected = all
          .map(({ cosine, isDead }, row) => ({ cosine, isDead, id: 1_000 - row }))
          .filter(({ isDead }) => !isDead)
          .sort((a, b) => b.cosine - a.cosine || a.id - b.id)
          .slice(0, depth)
          .map(({ id }) => id);
        expect(leaders.ranked()).toEqual(expected);
      }),
    );
  });
});

describe('the nearest that are let in', () => {
  // More than are looked at before all are asked about.
  const COUNT = 25_000;
  const db = new Database(':memory:');
  createSearchIndex(db, { name: 'card', columns: { title: 1 } });
  const vectors = Array.from({ length: COUNT }, (_, index) => {
    const vector = new Float32Array(DIMENSIONS);
    vector[0] = Math.cos(index / COUNT);
    vector[1] = Math.sin(index / COUNT);
    return { id: index + 1, vector };
  });
  indexVectors(db, { name: 'card', columns: { title: 1 } }, vectors);
  const query = new Float32Array(DIMENSIONS);
  query[0] = 1;
  const nearest = (depth: number, isIn: (id: number) => boolean) =>
    withMatrix(db, 'card', (matrix) =>
      matrix.nearest(query, depth, (ids) => new Set(ids.filter(isIn))),
    );

  it('are found however far down they stand, each asked about once', async () => {
    // One signed byte a component: neighbours may tie, far ones do not.
    for (const least of [500, 8_000, 24_000]) {
      const far = await nearest(3, (id) => id > least);
      expect(far).toHaveLength(3);
      for (const id of far) expect(id).toBeLessThan(least + 500);
    }
    // One of them is among the nearest, the other far down.
    expect(await nearest(3, (id) => id === 2 || id === 24_900)).toEqual([2, 24_900]);
    const asked: number[] = [];
    const none = await nearest(3, (id) => {
      asked.push(id);
      return false;
    });
    expect(none).toEqual([]);
    expect(asked.toSorted((a, b) => a - b)).toEqual(vectors.map(({ id }) => id));
  });

  it('come one search after the other: what one has scored stands until it is done', async () => {
    const other = new Float32Array(DIMENSIONS);
    other[1] = 1;
    const cosineAfter = (vector: Float32Array) =>
      withMatrix(db, 'card', async (matrix) => {
        await matrix.nearest(vector, 1, [1]);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return matrix.cosineOf(1);
      });
    const [first, second] = await Promise.all([cosineAfter(query), cosineAfter(other)]);
    expect(first).toBeCloseTo(1, 2);
    expect(second).toBeCloseTo(0, 2);
  });

  it('come with the spread of all cosines, let in or not', async () => {
    const { mean, deviation } = await withMatrix(db, 'card', async (matrix) => {
      await matrix.nearest(query, 3, [1, 2, 3]);
      return matrix.background();
    });
    // Of cos x for x even over 0..1: the mean is sin 1, the mean square 1/2 + sin 2 / 4.
    expect(mean).toBeCloseTo(Math.sin(1), 2);
    expect(deviation).toBeCloseTo(Math.sqrt(0.5 + Math.sin(2) / 4 - Math.sin(1) ** 2), 2);
  });
});
