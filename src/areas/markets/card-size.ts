import type { ReplySize } from '../../core/context.ts';
import { firstFitting } from '../../core/view.ts';

/** The part of a card that can be cut. */
interface Card {
  market_count: number;
  markets: readonly { liquidity: number; volume: number }[];
}

/**
 * Cards of the first items, as many as fit into a reply, and at least one. If the first alone is too
 * long, its least liquid markets are cut; `hidden` counts them.
 */
export function fitToSize<T, C extends Card>(
  items: readonly T[],
  reply: ReplySize,
  toCard: (item: T) => C,
): { cards: C[]; hidden: number } {
  const lengthOf = (card: unknown) => reply.lengthOf({ events: [card] });
  const cards: C[] = [];
  let hidden = 0;
  let characters = 0;
  for (const item of items) {
    const whole = toCard(item);
    const card = cards.length === 0 ? cutMarkets(whole, { ...reply, lengthOf }) : whole;
    characters += lengthOf(card);
    if (cards.length > 0 && characters > reply.limit) break;
    cards.push(card);
    hidden += whole.markets.length - card.markets.length;
  }
  return { cards, hidden };
}

/**
 * Cuts the least liquid markets of a card that is too long for a reply, the least traded where no
 * liquidity is told; the others stay in their order.
 */
export function cutMarkets<C extends Card>(card: C, { limit, lengthOf }: ReplySize): C {
  if (lengthOf(card) <= limit) return card;
  const withMarkets = (liquid: C['markets']): C => {
    const shown = new Set<unknown>(liquid);
    const markets = card.markets.filter((market) => shown.has(market));
    return { ...card, market_count: markets.length, markets };
  };
  const byLiquidity = card.markets.toSorted(
    (a, b) => b.liquidity - a.liquidity || b.volume - a.volume,
  );
  return withMarkets(firstFitting(byLiquidity, (first) => lengthOf(withMarkets(first)) <= limit));
}
