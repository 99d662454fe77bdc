import type { Reader } from '../../core/reader.ts';
import { isOnePrice } from './assets.ts';
import type { MarketEvent } from './event.ts';

interface PairedMarket {
  source: string;
  event_card_id: string;
  market_card_id: string;
  market_question: string;
  /** Probability of the first outcome. */
  probability: number;
}

/** Two open markets, at different venues, with the same subject, settlement day and strike. */
interface Pair {
  /** An asset or, for a decision, an indicator. */
  about: string;
  /** YYYY-MM-DD. */
  settlement_day: string;
  strike: string;
  markets: [PairedMarket, PairedMarket];
  /** The first probability minus the second. */
  difference: number;
}

/** An event's open markets that can be paired, with the facts that the markets of a pair share. */
export function listStrikes({ card, assets }: MarketEvent) {
  const { source, indicator, markets } = card;
  const [asset, ...others] = assets;
  const isPrice = asset !== undefined && others.length === 0 && isOnePrice(asset);
  const about = indicator ?? (isPrice ? asset : undefined);
  if (about === undefined) return [];
  return markets.flatMap(({ strike, status, outcomes, end_time = card.end_time, ...market }) => {
    const probability = outcomes[0]?.current_probability;
    if (strike === undefined || status !== 'active' || probability === undefined) return [];
    // An indicator's level is ambiguous: it may be a monthly or an annual change.
    const isExact = indicator === undefined || strike.startsWith('=');
    if (!isExact || end_time === undefined) return [];
    const { market_card_id, market_question, volume } = market;
    const day = end_time.slice(0, 10);
    return { day, about, strike, source, market_card_id, market_question, probability, volume };
  });
}

/** Maximum number of pairs in a list. */
const MOST = 1_000;

const pairedMarket = (market: string, event: string) => `json_object(
  'source', ${market}.source, 'event_card_id', ${event}.card_id,
  'market_card_id', ${market}.market_card_id, 'market_question', ${market}.market_question,
  'probability', ${market}.probability)`;

/**
 * The pairs of an event, its own market first in each; for null, all pairs, each once. Of several
 * matches for a market, the most traded comes last.
 */
export function listPairs(db: Reader, eventId: number | null): Pair[] {
  // Ordering by a prefix of the primary key lets SQLite sort within one strike at a time.
  return db
    .prepare<object, string>(`
      SELECT json_object('about', m.about, 'settlement_day', m.settlement_day, 'strike', m.strike,
        'markets', json_array(${pairedMarket('m', 'a')}, ${pairedMarket('n', 'b')}),
        'difference', round(m.probability - n.probability, 6))
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
    .pluck()
    .all(eventId === null ? {} : { eventId })
    .map((json): Pair => JSON.parse(json));
}
