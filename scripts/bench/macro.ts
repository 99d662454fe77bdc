import { fileURLToPath } from 'node:url';
import { macroIndicatorHistory } from '../../src/areas/macro/operations.ts';
import { type OpenShelf, run } from '../../src/core/run.ts';
import { openForReading } from '../../src/store/open.ts';
import { figure, type Section } from './figures.ts';
import type { Sizes } from './sizes.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  recent: { below: 2, of: 'p50' },
  range: { below: 40, of: 'p50' },
} as const;
const STARTER = fileURLToPath(new URL('../../dist/starter.sqlite', import.meta.url));

/** Histories from the store to the text of the envelope, without a door. */
export async function measureHistories({ calls }: Sizes): Promise<Section> {
  const db = openForReading(STARTER);
  const context: OpenShelf['context'] = {
    db,
    now: () => new Date(),
    embedQuery: async () => ({ unavailable: '' }),
    isWord: async () => false,
    addPaper: async () => 'offline',
    freshenPaper: async () => 'offline',
    freshenSeries: async () => 'offline',
    refreshMarkets: () => null,
    policy: 'personal',
  };
  const account = { name: 'local', balance: () => 1, charge: () => 0 };
  const caller = { open: async () => ({ context, account }), log: () => {} };
  const timeCalls = async (input: object, rounds: number) => {
    const spent: number[] = [];
    let length = 0;
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      const { ok, envelope } = await run(macroIndicatorHistory, input, caller);
      length = JSON.stringify(envelope).length;
      spent.push(performance.now() - begun);
      if (!ok) throw new Error(JSON.stringify(envelope));
    }
    return { spent, length };
  };
  const recent = await timeCalls({ series_id: 'DGS10', limit: 500 }, calls);
  const all = { series_id: 'DGS10', start_date: '1962-01-01', end_date: '2026-12-31' };
  const range = await timeCalls(all, Math.min(calls, 50));
  db.close();
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
