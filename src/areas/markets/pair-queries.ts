import type { Database } from 'better-sqlite3';
import { type EventRow, getEventById } from './queries.ts';
import type { StoredMarket } from './sources/event-card.ts';

interface PairedMarket {
  source: string;
  event_card_id: string;
  market_card_id: string;
  market_question: string;
  /** Of the first outcome. */
  probability: number;
}

/** Open markets of two venues on the same asset, or decision, with the same settlement day and strike. */
export interface Pair {
  /** The asset, or the indicator on which is decided. */
  about: string;
  /** YYYY-MM-DD. */
  settlement_day: string;
  strike: string;
  markets: [PairedMarket, PairedMarket];
}

/** Pairs of events in a list. */
const MOST = 1_000;

/** The indicator of an event, else its only asset; NULL where it has none, or several. */
const subject = (event: string) => `coalesce(${event}.indicator, (
  SELECT min(asset) FROM market_event_asset WHERE event_id = ${event}.id GROUP BY event_id HAVING count(*) = 1))`;
const day = 'substr(a.end_time, 1, 10)';

/**
 * The pairs that a stored event is part of, its market first, or all of them, each once. Facts agree
 * exactly, and titles are not compared; where one has several, the most traded comes last.
 */
export function listPairs(db: Database, eventId: number | null): Pair[] {
  return db
    .prepare<object, { about: string; id: number; otherId: number }>(`
      SELECT ${subject('a')} AS about, a.id, b.id AS otherId
      FROM market_event a CROSS JOIN market_event b
        ON b.end_time BETWEEN ${day} AND ${day} || 'Z' AND b.sort_rank = 0 AND b.source <> a.source
      WHERE a.sort_rank = 0 AND ${eventId === null ? 'a.source > b.source' : 'a.id = @eventId'}
        -- By itself it spares most events a look at all others of their day.
        AND ${subject('a')} IS NOT NULL
        AND ${subject('a')} = ${subject('b')}
      ORDER BY ${day}, about, a.id, b.volume
      LIMIT ${MOST}`)
    .all(eventId === null ? {} : { eventId })
    .flatMap(({ about, id, otherId }) => {
      const [event, other] = [getEventById(db, id), getEventById(db, otherId)];
      return event && other ? pairMarkets(about, event, other) : [];
    });
}

function pairMarkets(about: string, event: EventRow, other: EventRow): Pair[] {
  // A level of a figure does not tell its measure, such as a change over a month or a year.
  const isExact = (strike: string) => event.indicator === undefined || strike.startsWith('=');
  return event.markets.flatMap((market) => {
    const { strike, status, end_time = event.end_time } = market;
    if (strike === undefined || !isExact(strike) || status !== 'active') return [];
    const same = other.markets.filter(
      (each) =>
        each.strike === strike &&
        each.status === 'active' &&
        toDay(each.end_time ?? other.end_time) === toDay(end_time),
    );
    const own = toPaired(event, market);
    return same
      .sort((a, b) => a.volume - b.volume)
      .flatMap((each) => {
        const its = toPaired(other, each);
        const markets = own && its && ([own, its] satisfies Pair['markets']);
        return markets === null
          ? []
          : [{ about, settlement_day: toDay(end_time), strike, markets }];
      });
  });
}

function toPaired(event: EventRow, market: StoredMarket): PairedMarket | null {
  const [first] = market.outcomes;
  if (first === undefined) return null;
  const { source, event_card_id } = event;
  const { market_card_id, market_question } = market;
  const probability = first.current_probability;
  return { source, event_card_id, market_card_id, market_question, probability };
}

function toDay(time: string | undefined): string {
  return time?.slice(0, 10) ?? '';
}
