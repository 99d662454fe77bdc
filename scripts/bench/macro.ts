import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { macroIndicatorHistory } from '../../src/areas/macro/operations.ts';
import { figure, type Section } from './figures.ts';
import { openShelf } from './shelf.ts';
import type { Sizes } from './sizes.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  recent: { below: 2, of: 'p50' },
  range: { below: 40, of: 'p50' },
} as const;
const STARTER = fileURLToPath(new URL('../../dist/starter.sqlite', import.meta.url));

/** Histories from the store to the text of the envelope, without a door. */
export async function measureHistories({ calls }: Sizes): Promise<Section> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  const shelf = await openShelf(home, {}, STARTER);
  const timeCalls = async (input: object, rounds: number) => {
    const spent: number[] = [];
    let length = 0;
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      const envelope = await shelf.call(macroIndicatorHistory, input);
      length = JSON.stringify(envelope).length;
      spent.push(performance.now() - begun);
    }
    return { spent, length };
  };
  const recent = await timeCalls({ series_id: 'DGS10', limit: 500 }, calls);
  const all = { series_id: 'DGS10', start_date: '1962-01-01', end_date: '2026-12-31' };
  const range = await timeCalls(all, Math.min(calls, 50));
  shelf.close();
  rmSync(home, { recursive: true, force: true });
  return {
    title: 'macro_indicator_history, store to JSON',
    figures: [
      figure('500 observations', 'ms', recent.spent, TARGET.recent),
      figure(
        `16,000 observations (${(range.length / 1e6).toFixed(1)} MB)`,
        'ms',
        range.spent,
        TARGET.range,
      ),
    ],
  };
}
