import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Database } from 'better-sqlite3';
import { migrations } from '../../src/app/migrations.ts';
import { createPolymarketSource } from '../../src/areas/markets/source.ts';
import { pullEvents } from '../../src/areas/markets/sync/pull.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';
import { createHttpClient } from '../../src/upstream/client.ts';
import { makeWireEvent, startPolymarket } from '../../test/stand-ins/polymarket.ts';
import { details, figure, type Section } from './figures.ts';
import type { Sizes } from './sizes.ts';

/** Target in seconds. */
const TARGET = { below: 20, of: 'p50' } as const;
const SUBJECTS = 'inflation|the fed funds rate|bitcoin|gold|oil|recession|tariffs'.split('|');
const TAGS = [['economy', 'cpi'], ['fed-rates', 'economy'], ['crypto', 'bitcoin'], ['finance']];

/**
 * A full pull of events with five markets each, then another one without changes. The stand-in runs in
 * this process, so its own work is included.
 */
export async function measurePulls({ pulled }: Sizes): Promise<Section> {
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  const db = openForWriting(join(directory, 'store.sqlite'));
  migrate(db, migrations, new Date());
  const standIn = await startPolymarket(Array.from({ length: pulled }, (_, id) => wireOf(id + 1)));
  const client = createHttpClient({
    userAgent: 'quantshelf/bench',
    now: () => new Date(),
    paceMs: 0,
    longestWaitMs: 1_000,
  });
  const source = createPolymarketSource(client, { baseUrl: standIn.url, paceMs: 0 });
  const pull = async () => {
    const [begun, before] = [performance.now(), rowsWritten(db)];
    const summary = await pullEvents({ db, source, now: () => new Date() });
    if (!summary.whole) throw new Error(summary.faults.join(' '));
    const seconds = (performance.now() - begun) / 1_000;
    return { seconds, rows: rowsWritten(db) - before, added: summary.added };
  };
  const first = await pull();
  const second = await pull();
  if (first.added !== pulled || second.added !== 0)
    throw new Error('the pulls stored unexpected events');
  await client.close();
  await standIn.close();
  db.close();
  rmSync(directory, { recursive: true, force: true });
  return {
    title: `A pull of ${pulled.toLocaleString('en-US')} events from a local stand-in`,
    figures: [
      figure('parsed and stored', 's', [first.seconds], TARGET),
      figure('the same without changes', 's', [second.seconds]),
      ...details([figure('rows that it writes', 'rows', [second.rows])]),
    ],
  };
}

/** Rows inserted, changed or deleted on this connection so far. */
function rowsWritten(db: Database): number {
  return Number(db.prepare('SELECT total_changes()').pluck().get());
}

function wireOf(id: number) {
  const subject = SUBJECTS[id % SUBJECTS.length];
  return makeWireEvent({
    id,
    title: `Will ${subject} rise in week ${id}?`,
    description:
      `This market settles on the figure that the agency publishes for week ${id}. `.repeat(12),
    tagSlugs: TAGS[id % TAGS.length] ?? [],
    prices: [0.1, 0.2, 0.3, 0.4, 0.5],
    liquidity: (id * 7_919) % 100_000,
  });
}
