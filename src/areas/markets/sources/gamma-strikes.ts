import type { VenueMarket } from './venue.ts';

/** A label that is nothing but an amount, such as "$110,000" or "4.5%", is a level. */
const LEVEL = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?%?$/;

function strikeOf({ groupLabel }: VenueMarket): number | null {
  const [, whole, fraction = ''] = LEVEL.exec(groupLabel?.trim() ?? '') ?? [];
  return whole === undefined ? null : Number(whole.replaceAll(',', '') + fraction);
}

/**
 * Gives the markets of a ladder their strikes. No fact says whether a level must be exceeded: that is so
 * only where every higher one is less likely. Bins of one outcome and levels to be touched are no ladder.
 */
export function withStrikes(
  markets: readonly VenueMarket[],
  { isExclusive, tags }: { isExclusive: boolean; tags: readonly string[] },
): readonly VenueMarket[] {
  if (isExclusive || tags.includes('hit-price')) return markets;
  const steps = markets
    .flatMap((market) => {
      const [strike, probability] = [strikeOf(market), market.outcomes[0]?.probability];
      return strike === null || probability === undefined ? [] : [{ market, strike, probability }];
    })
    .sort((a, b) => a.strike - b.strike);
  const isLadder = steps.every(
    ({ strike, probability }, index) =>
      index === 0 ||
      (strike > (steps[index - 1]?.strike ?? 0) &&
        probability <= (steps[index - 1]?.probability ?? 0)),
  );
  const isFalling = (steps[0]?.probability ?? 0) > (steps.at(-1)?.probability ?? 0);
  if (!isLadder || !isFalling) return markets;
  const strikes = new Map(steps.map(({ market, strike }) => [market, strike]));
  return markets.map((market) => ({ ...market, strike: strikes.get(market) ?? null }));
}
