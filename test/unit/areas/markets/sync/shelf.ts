import type { Database } from 'better-sqlite3';
import { predictionMarketEventRead } from '../../../../../src/areas/markets/operations.ts';
import { type PullOptions, pullEvents } from '../../../../../src/areas/markets/pull.ts';
import type { PolymarketSource } from '../../../../../src/areas/markets/sources/polymarket.ts';
import type { WireEvent } from '../../../../stand-ins/polymarket.ts';
import { answer } from '../shelf.ts';
import { makeSource, startSource } from '../start-polymarket.ts';

const T0 = Date.parse('2026-11-21T12:00:00Z');
/** So many hours after the first pull of a test. */
export const at = (hours: number) => new Date(T0 + hours * 3_600_000);

/** A stand-in, and pulls from it into `db` at any hour. */
export async function startPulls(db: Database, events: readonly WireEvent[]) {
  const { standIn, source } = await makeSource(events);
  return { standIn, pull: pullsInto(db, source) };
}

/** The same with the real client in between, which meets the faults. */
export async function startPullsByHttp(db: Database, events: readonly WireEvent[]) {
  const { standIn, source } = await startSource(events);
  return { standIn, pull: pullsInto(db, source) };
}

function pullsInto(db: Database, source: PolymarketSource) {
  return (hours = 0, more: Partial<PullOptions> = {}) =>
    pullEvents({ db, source, now: () => at(hours), ...more });
}

/** An event as a caller reads it. */
export async function readEvent(db: Database, id = 100, hours = 0) {
  const input = { event_card_id: `pme_${id}` };
  return (await answer(db, predictionMarketEventRead, input, { now: at(hours) })).data;
}

export function heldIds(db: Database): unknown[] {
  return db.prepare('SELECT id FROM market_event ORDER BY id').pluck().all();
}
