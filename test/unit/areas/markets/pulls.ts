import type { Database } from 'better-sqlite3';
import { predictionMarketEventRead } from '../../../../src/areas/markets/operations.ts';
import { connect } from '../../../../src/areas/markets/sources/kalshi.ts';
import type { OpenVenue } from '../../../../src/areas/markets/sources/venue-client.ts';
import { emptySummary, pullEvents } from '../../../../src/areas/markets/sync.ts';
import { startKalshi, type WireKalshiEvent } from '../../../stand-ins/kalshi.ts';
import type { WireEvent } from '../../../stand-ins/polymarket.ts';
import { replyOf } from './shelf.ts';
import { makeSource, openClient, startSource } from './start-polymarket.ts';

const T0 = Date.parse('2026-11-21T12:00:00Z');
/** `hours` after the first pull of a test. */
export const at = (hours: number) => new Date(T0 + hours * 3_600_000);

type PullOptions = Parameters<typeof pullEvents>[0];

/** One pull: its counts, and why lists were skipped. */
export async function pullOnce(options: Omit<PullOptions, 'summary'> & Partial<PullOptions>) {
  const summary = emptySummary();
  const faults = await pullEvents({ summary, ...options });
  return { ...summary, faults };
}

/** A stand-in, and pulls from it into `db` at any hour. */
export async function startPulls(db: Database, events: readonly WireEvent[]) {
  return withPulls(db, await makeSource(events));
}

/** The same through the real client, which encounters the faults. */
export async function startPullsByHttp(db: Database, events: readonly WireEvent[]) {
  return withPulls(db, await startSource(events));
}

function withPulls<S>(db: Database, { standIn, venue }: { standIn: S; venue: OpenVenue }) {
  const pull = (hours = 0, more: Partial<PullOptions> = {}) =>
    pullOnce({ db, venue, now: () => at(hours), ...more });
  return { standIn, pull };
}

/** A stand-in for Kalshi, and pulls of its current events into `db`. */
export async function startKalshiPulls(db: Database, ...content: Parameters<typeof startKalshi>) {
  const kalshi = await startKalshi(...content);
  const venue = {
    name: 'kalshi',
    title: 'Kalshi',
    ...connect(openClient(kalshi), { baseUrl: kalshi.url }),
  };
  const pull = (events: readonly WireKalshiEvent[], hours = 0, served: number[] | null = null) => {
    kalshi.events = [...events];
    return pullOnce({ db, venue, served, now: () => at(hours) });
  };
  return { kalshi, pull };
}

/** An event as a caller reads it. */
export async function readEvent(db: Database, id = 100, hours = 0) {
  const input = { event_card_id: `pme_${id}` };
  return (await replyOf(db, predictionMarketEventRead, input, { now: at(hours) })).data;
}

/** Polymarket's ids of the stored events. */
export function storedIds(db: Database): number[] {
  const ids = db.prepare<[], string>('SELECT source_id FROM market_event').pluck().all();
  return ids.map(Number).sort((a, b) => a - b);
}
