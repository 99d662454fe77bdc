import type { MarketCard } from './normalise.ts';

/** Characters of a reply that are kept free for its envelope: meta, notice and cursor. */
const ENVELOPE_CHARACTERS = 1_500;

/** The part of a card that can be cut. */
interface Card {
  market_count: number;
  markets: readonly { liquidity: number }[];
}

/**
 * Cards of the first items, as many as fit into a reply of `limit` characters, and at least one. If
 * the first alone is too long, its least liquid markets are cut; `hidden` counts them.
 */
export function fitToSize<T, C extends Card>(
  items: readonly T[],
  limit: number,
  marketsOf: (item: T) => readonly MarketCard[],
  toCard: (item: T, markets: readonly MarketCard[]) => C,
): { cards: C[]; hidden: number } {
  const most = limit - ENVELOPE_CHARACTERS;
  const cards: C[] = [];
  let hidden = 0;
  let characters = 0;
  for (const item of items) {
    const markets = marketsOf(item);
    const whole = toCard(item, markets);
    const { length } = JSON.stringify(whole);
    const card = cards.length === 0 && length > most ? cutMarkets(whole, limit) : whole;
    characters += (card === whole ? length : JSON.stringify(card).length) + 1;
    if (cards.length > 0 && characters > most) break;
    cards.push(card);
    hidden += whole.markets.length - card.markets.length;
  }
  return { cards, hidden };
}

/**
 * Cuts the least liquid markets of a card that is too long for a reply of `limit` characters; the others
 * stay in their order.
 */
export function cutMarkets<C extends Card>(card: C, limit: number): C {
  const most = limit - ENVELOPE_CHARACTERS;
  if (JSON.stringify(card).length <= most) return card;
  const shown = new Set<unknown>();
  let characters = JSON.stringify({ ...card, markets: [] }).length;
  for (const market of card.markets.toSorted((a, b) => b.liquidity - a.liquidity)) {
    characters += JSON.stringify(market).length + 1;
    if (characters > most) break;
    shown.add(market);
  }
  const markets = card.markets.filter((market) => shown.has(market));
  return { ...card, market_count: markets.length, markets };
}
