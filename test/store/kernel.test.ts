import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import { bestCosines, createBench, KERNEL_BASE64 } from '../../src/store/search/kernel.ts';
import { packRows, unpackRows } from '../../src/store/search/quantise.ts';
import { cosineOf, DIMENSIONS } from '../../src/store/vectors.ts';

const SOURCE = 'src/store/search/kernel.wat';

const components = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: DIMENSIONS,
  maxLength: DIMENSIONS,
});
const unitVectors = components
  .map((values) => Float32Array.from(values))
  .filter((vector) => Math.hypot(...vector) > 0.1)
  .map((vector) => {
    const length = Math.hypot(...vector);
    return vector.map((component) => component / length);
  });

describe('the kernel of vector search', () => {
  it('is what its source compiles to', async () => {
    const { parseWat } = await wabt();
    const parsed = parseWat(SOURCE, readFileSync(SOURCE, 'utf8'), { simd: true });
    const { buffer } = parsed.toBinary({});
    expect(KERNEL_BASE64).toBe(Buffer.from(buffer).toString('base64'));
  });

  it('computes the cosines of any vectors to within a hundredth, of whole blocks and of parts', () => {
    fc.assert(
      fc.property(
        fc.array(unitVectors, { minLength: 1, maxLength: 9 }),
        unitVectors,
        (rows, query) => {
          const bench = createBench(rows.length);
          unpackRows(packRows(rows), bench, 0);
          const middle = Math.floor(rows.length / 2);
          bench.score(query, 0, middle);
          bench.score(query, middle, rows.length);
          for (const [row, vector] of rows.entries()) {
            expect(Math.abs((bench.cosines[row] ?? 9) - cosineOf(query, vector))).toBeLessThan(
              0.01,
            );
          }
          const best = Math.max(...rows.map((vector) => cosineOf(query, vector)));
          const [whole = 9, first = 9] = bestCosines(query, [
            packRows(rows),
            packRows(rows.slice(0, 1)),
          ]);
          expect(Math.abs(whole - best)).toBeLessThan(0.01);
          expect(first).toBe(bench.cosines[0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not overflow where every component is as large as can be', () => {
    const flat = new Float32Array(DIMENSIONS).fill(1 / Math.sqrt(DIMENSIONS));
    expect(bestCosines(flat, [packRows([flat])])[0]).toBeCloseTo(1, 3);
    const opposite = flat.map((component) => -component);
    expect(bestCosines(flat, [packRows([opposite])])[0]).toBeCloseTo(-1, 3);
  });

  it('knows no best among none', () => {
    const flat = new Float32Array(DIMENSIONS).fill(1 / Math.sqrt(DIMENSIONS));
    const none = new Uint8Array();
    expect(bestCosines(flat, [none, packRows([flat]), none])).toEqual([
      -1,
      expect.closeTo(1, 3),
      -1,
    ]);
    expect(bestCosines(flat, [])).toEqual([]);
  });
});
