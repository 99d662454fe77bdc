import { describe, expect, it } from 'vitest';
import type { Section } from '../../scripts/bench/figures.ts';
import { measureSearch } from '../../scripts/bench/search.ts';
import { LEAST } from '../../scripts/bench/sizes.ts';
import { STEPS } from '../../scripts/bench/steps.ts';
import { modelDir } from './support.ts';

const { embedding } = STEPS;
/** The same as `callsWithoutModel`, and a whole `sync papers`: too long for a test. */
const LONG = ['calls', 'filling'];

/*
 * Scripts that developers run now and then, each at its smallest: changes elsewhere break them, and types
 * do not show it. The figures mean nothing here.
 */
describe('the benchmark runs', () => {
  it.each(Object.keys(STEPS).filter((name) => name !== 'embedding' && !LONG.includes(name)))(
    '%s',
    async (name) => {
      expectFigures(await STEPS[name]?.(LEAST, null));
    },
  );

  it.skipIf(modelDir === null)('embedding', async () => {
    expectFigures(await embedding?.(LEAST, modelDir));
  });

  it('search', async () => {
    const sections = await measureSearch(LEAST.search, null, () => {});
    for (const section of sections) expectFigures(section);
    const figures = sections.flatMap((section) => section.figures);
    const recall = figures.find(({ what }) => what.includes('against a float64 scan'));
    // So few cards are all read.
    expect(recall?.p50).toBe(1);
  });

  function expectFigures(section: Section | null | undefined): void {
    expect(section?.figures.length).toBeGreaterThan(0);
    for (const { what, p50, samples } of section?.figures ?? []) {
      expect(Number.isFinite(p50), what).toBe(true);
      expect(samples, what).toBeGreaterThan(0);
    }
  }
});
