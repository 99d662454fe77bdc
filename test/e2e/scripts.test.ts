import { describe, expect, it } from 'vitest';
import type { Section } from '../../scripts/bench/figures.ts';
import { measureLarge } from '../../scripts/bench/large.ts';
import { measureFirstStart, measureListing, measureMemory } from '../../scripts/bench/stdio.ts';

const SIZES = { starts: 1, calls: 1, lives: 1 };

/*
 * The benchmark at its smallest, which developers run now and then: changes elsewhere break it, and types
 * do not show it. The figures mean nothing here.
 */
describe('the benchmark measures', () => {
  it.each<[string, () => Promise<Section>]>([
    ['the start', () => measureListing(SIZES)],
    ['the first start', () => measureFirstStart(SIZES)],
    ['memory', () => measureMemory(SIZES, null)],
    ['a large shelf', () => measureLarge({ papers: 20, events: 20, queries: 1 }, null)],
  ])('%s', async (_, measure) => {
    const { figures } = await measure();
    expect(figures.length).toBeGreaterThan(0);
    for (const { what, p50, samples } of figures) {
      expect(Number.isFinite(p50), what).toBe(true);
      expect(samples, what).toBeGreaterThan(0);
    }
  });
});
