import { describe, expect, it } from 'vitest';
import type { Section } from '../../scripts/bench/figures.ts';
import { measureSearch } from '../../scripts/bench/search.ts';
import { LEAST } from '../../scripts/bench/sizes.ts';
import { STEPS } from '../../scripts/bench/steps.ts';
import { measureDrains, recordAnswers } from '../../scripts/load/measure.ts';
import { measureOverhead } from '../../scripts/load/overhead.ts';
import { makeKey, startBare, startServe } from '../../scripts/load/servers.ts';
import { makeHome, modelDir, root, runProcess } from './support.ts';

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

describe('the load test', () => {
  it('compares with a server that sends the same bytes', async () => {
    const home = makeHome();
    const key = makeKey(home, 'smoke', 100);
    const ours = await startServe(home);
    const answers = await recordAnswers(ours.url, key);
    await ours.stop();
    const bare = await startBare(home, answers);
    for (const [path, { body }] of Object.entries(answers)) {
      const sent = await fetch(bare.url + path);
      expect(await sent.text(), path).toBe(body);
    }
    await bare.stop();
  });

  it('measures what the door adds', async () => {
    const rows = await measureOverhead(makeHome(), 2, 0);
    expect(rows.map(({ value }) => value).join()).toMatch(/run [\d.]+ ms, door [\d.]+ ms/);
  });

  it('counts what many clients spend', async () => {
    expect(await measureDrains(makeHome(), 50)).toMatchObject([{ isMet: true }]);
  });
});

it('the soak test runs', async () => {
  const words = ['--import', 'tsx', 'scripts/soak.ts', '--minutes', '0.003'];
  const { code, stdout } = await runProcess(process.execPath, words, { cwd: root });
  expect(stdout).toMatch(/ [1-9]\d* calls, 0 failed\n/);
  expect(code).toBe(0);
});
