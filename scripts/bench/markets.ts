import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { migrations } from '../../src/app/migrations.ts';
import {
  predictionMarketEventBrowse,
  predictionMarketEventSearch,
} from '../../src/areas/markets/operations.ts';
import { parseGammaEvent } from '../../src/areas/markets/source.ts';
import { storePath } from '../../src/config.ts';
import type { Operation } from '../../src/core/operation.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';
import { DIMENSIONS } from '../../src/store/search/vectors/float32.ts';
import { makeWireEvent } from '../../test/stand-ins/polymarket.ts';
import { insertEvents } from '../starter/insert-events.ts';
import { figure, type Section } from './figures.ts';
import { openShelf } from './shelf.ts';
import type { Sizes } from './sizes.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  browse: { below: 3, of: 'p50' },
  search: { below: 10, of: 'p50' },
} as const;
const AT_ONCE = 1_000;
const SUBJECTS =
  'inflation|the fed funds rate|bitcoin|ether|gold|oil|recession|payrolls|tariffs'.split('|');
const PLACES = 'the U.S.|Japan|Brazil|Germany|India|Canada|Norway|Chile|Korea|Kenya|Peru'.split(
  '|',
);

/** Browse and search over synthetic events with five markets each, without a door. */
export async function measureMarkets({ calls, events }: Sizes): Promise<Section> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  const at = new Date();
  fill(storePath(home), events, at);
  const shelf = await openShelf(home, {
    now: () => at,
    embedQuery: async (text) => ({ vector: vectorOf(text.length) }),
  });
  const timeCalls = async (row: Operation, inputOf: (call: number) => object) => {
    const spent: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const begun = performance.now();
      await shelf.call(row, inputOf(call));
      spent.push(performance.now() - begun);
    }
    return spent;
  };
  const browse = await timeCalls(predictionMarketEventBrowse, () => ({ limit: 5 }));
  const filtered = await timeCalls(predictionMarketEventBrowse, (call) => ({
    q: `${SUBJECTS[call % SUBJECTS.length]} ${PLACES[call % PLACES.length]}`,
  }));
  const search = await timeCalls(predictionMarketEventSearch, (call) => ({
    query: `will ${SUBJECTS[call % SUBJECTS.length]} rise in ${PLACES[call % PLACES.length]} by ${call}`,
  }));
  shelf.close();
  rmSync(home, { recursive: true, force: true });
  return {
    title: `${events.toLocaleString('en-US')} events with five markets each, without a door`,
    figures: [
      figure('browse, 5 events', 'ms', browse, TARGET.browse),
      figure('browse by words, 20 events', 'ms', filtered),
      figure('search, 5 events', 'ms', search, TARGET.search),
    ],
  };
}

function fill(path: string, events: number, at: Date): void {
  const db = openForWriting(path);
  migrate(db, migrations, at);
  for (let start = 1; start <= events; start += AT_ONCE) {
    const deliveries = Array.from({ length: Math.min(AT_ONCE, events) }, (_, index) => {
      const id = start + index;
      const subject = SUBJECTS[id % SUBJECTS.length];
      const place = PLACES[id % PLACES.length];
      const wire = makeWireEvent({
        id,
        title: `Will ${subject} rise in ${place} in week ${id}?`,
        prices: [0.1, 0.2, 0.3, 0.4, 0.5],
        liquidity: (id * 7_919) % 100_000,
      });
      return {
        facts: parseGammaEvent(wire),
        seenAt: at.toISOString(),
        origin: 'polymarket' as const,
        vector: vectorOf(id),
      };
    });
    insertEvents(db, deliveries);
  }
  db.exec('ANALYZE');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** A deterministic unit vector per seed. */
function vectorOf(seed: number): Float32Array {
  let state = seed * 2_654_435_761;
  const vector = Float32Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}
