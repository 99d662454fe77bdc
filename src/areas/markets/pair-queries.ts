import type { Database } from 'better-sqlite3';

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

/** Pairs in a list. */
const MOST = 1_000;

interface RawPair extends Omit<Pair, 'markets'>, PairedMarket {
  otherSource: string;
  otherEvent: string;
  otherMarket: string;
  otherQuestion: string;
  otherProbability: number;
}

/**
 * The pairs that a stored event is part of, its market first, or all of them, each once. Facts agree
 * exactly, and titles are not compared; where one has several, the most traded comes last.
 */
export function listPairs(db: Database, eventId: number | null): Pair[] {
  // In the order of the primary key, so that only the pairs of one strike are sorted.
  return db
    .prepare<object, RawPair>(`
      SELECT m.about, m.settlement_day, m.strike,
        m.source, a.card_id AS event_card_id, m.market_card_id, m.market_question, m.probability,
        n.source AS otherSource, b.card_id AS otherEvent, n.market_card_id AS otherMarket,
        n.market_question AS otherQuestion, n.probability AS otherProbability
      FROM market_event_strike m
        CROSS JOIN market_event_strike n ON n.settlement_day = m.settlement_day
          AND n.about = m.about AND n.strike = m.strike
          AND ${eventId === null ? 'n.source < m.source' : 'n.source <> m.source'}
        CROSS JOIN market_event a ON a.id = m.event_id AND a.sort_rank = 0
        CROSS JOIN market_event b ON b.id = n.event_id AND b.sort_rank = 0
          AND substr(b.end_time, 1, 10) = substr(a.end_time, 1, 10)
      WHERE ${eventId === null ? 'true' : 'm.event_id = @eventId'}
      ORDER BY m.settlement_day, m.about, m.strike, n.volume
      LIMIT ${MOST}`)
    .all(eventId === null ? {} : { eventId })
    .map(({ about, settlement_day, strike, ...raw }) => {
      const { source, event_card_id, market_card_id, market_question, probability } = raw;
      const own = { source, event_card_id, market_card_id, market_question, probability };
      const other = {
        source: raw.otherSource,
        event_card_id: raw.otherEvent,
        market_card_id: raw.otherMarket,
        market_question: raw.otherQuestion,
        probability: raw.otherProbability,
      };
      return { about, settlement_day, strike, markets: [own, other] };
    });
}
