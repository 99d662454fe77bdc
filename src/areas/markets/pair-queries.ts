import type { Database } from 'better-sqlite3';
import type { VenueName } from './sources/venue.ts';

/** Open markets of two venues on the same asset, or decision, with the same settlement day and strike. */
export interface Pair {
  /** The asset, or the indicator on which is decided. */
  about: string;
  /** YYYY-MM-DD. */
  day: string;
  strike: string;
  source: VenueName;
  cardId: string;
  marketId: string;
  question: string;
  /** Of the first outcome of each. */
  probability: number;
  otherSource: VenueName;
  otherCardId: string;
  otherMarketId: string;
  otherQuestion: string;
  otherProbability: number;
}

/** Pairs in a list. */
const MOST = 1_000;

/** The indicator of an event, else its only asset; NULL where it has none, or several. */
const subject = (event: string) => `coalesce(${event}.indicator, (
  SELECT min(asset) FROM market_event_asset WHERE event_id = ${event}.id GROUP BY event_id HAVING count(*) = 1))`;
const day = (event: string) => `substr(${event}.end_time, 1, 10)`;
const settlementDay = (market: string, event: string) =>
  `substr(coalesce(${market}.end_time, ${event}.end_time), 1, 10)`;
const probability = (market: string) => `json_extract(${market}.outcomes, '$[0].probability')`;

/**
 * The pairs that a stored event is part of, or all of them, each once. Facts agree exactly, and titles are
 * not compared; where one has several, the most traded comes last.
 */
export function listPairs(db: Database, eventId: number | null): Pair[] {
  return db
    .prepare<object, Pair>(`
      SELECT ${subject('a')} AS about,
        ${settlementDay('m', 'a')} AS day, m.strike,
        a.source, a.card_id AS cardId, m.id AS marketId, m.question, ${probability('m')} AS probability,
        b.source AS otherSource, b.card_id AS otherCardId, n.id AS otherMarketId,
        n.question AS otherQuestion, ${probability('n')} AS otherProbability
      FROM market_event a
        CROSS JOIN market_event b
          ON b.end_time BETWEEN ${day('a')} AND ${day('a')} || 'Z'
          AND b.sort_rank = 0 AND b.source <> a.source
        JOIN market m ON m.event_id = a.id AND m.status = 'active'
        JOIN market n ON n.event_id = b.id AND n.strike = m.strike AND n.status = 'active'
          AND ${settlementDay('n', 'b')} = ${settlementDay('m', 'a')}
      WHERE a.sort_rank = 0 AND ${eventId === null ? 'a.source > b.source' : 'a.id = @eventId'}
        -- By itself it spares most events a look at all others of their day.
        AND ${subject('a')} IS NOT NULL
        AND ${subject('a')} = ${subject('b')}
        -- A level of a figure does not tell its measure, such as a change over a month or a year.
        AND (a.indicator IS NULL OR m.strike LIKE '=%')
        AND ${probability('m')} IS NOT NULL AND ${probability('n')} IS NOT NULL
      ORDER BY day, about, m.strike, n.volume
      LIMIT ${MOST}`)
    .all(eventId === null ? {} : { eventId });
}
