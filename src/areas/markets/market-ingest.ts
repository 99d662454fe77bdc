import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { EventCard, MarketCard } from './normalise.ts';
import { type PriceHistory, packPast, recordPriceChange, unpackPast } from './price-history.ts';
import { MARKET_COLUMNS, selectList, upsertSql } from './tables.ts';

/** A row of the table `market`. */
type MarketRow = Omit<MarketCard, 'outcomes'> & {
  position: number;
  outcomes: string;
  priceSince: number | null;
  past: string | null;
};

const ROW = { position: 'position', ...MARKET_COLUMNS, priceSince: 'price_since', past: 'past' };
const UPSERT_MARKET = upsertSql('market', ['event_id', 'position'], {
  eventId: 'event_id',
  ...ROW,
});

const outcomeList = z.array(z.tuple([z.string(), z.string(), z.number()]));

/**
 * Writes the markets of a changed card, with their earlier prices. `now` is the time of the card and
 * `storedSeenAt` that of the last observation of the stored markets, in milliseconds since 1970; null
 * if their prices must not start a history.
 */
export function replaceMarkets(
  db: Database,
  card: EventCard,
  now: number,
  storedSeenAt: number | null,
): void {
  const stored = listRows(db, card.id);
  const byId = new Map(stored.map((row) => [row.id, row]));
  const byPosition = new Map(stored.map((row) => [row.position, row]));
  const upsert = db.prepare(UPSERT_MARKET);
  for (const [position, market] of card.markets.entries()) {
    const outcomes = packOutcomes(market);
    const known = byId.get(market.id);
    const history =
      known === undefined || storedSeenAt === null
        ? { priceSince: now, past: null }
        : carryHistory(known, { market, outcomes }, storedSeenAt, now);
    const row: MarketRow = { ...market, position, outcomes, ...history };
    if (!isDeepStrictEqual(row, byPosition.get(position))) upsert.run({ ...row, eventId: card.id });
  }
  if (stored.length > card.markets.length) {
    db.prepare('DELETE FROM market WHERE event_id = @id AND position >= @from').run({
      id: card.id,
      from: card.markets.length,
    });
  }
}

function listRows(db: Database, eventId: number): MarketRow[] {
  return db
    .prepare<{ eventId: number }, MarketRow>(`
      SELECT ${selectList(ROW, 'm')} FROM market m WHERE event_id = @eventId`)
    .all({ eventId });
}

/** Price history of a market after the observation at `now`; restarts when its outcomes changed. */
function carryHistory(
  known: MarketRow,
  { market, outcomes }: { market: MarketCard; outcomes: string },
  seenUntil: number,
  now: number,
): Pick<MarketRow, 'priceSince' | 'past'> {
  const since = known.priceSince ?? seenUntil;
  if (known.outcomes === outcomes) return { priceSince: since, past: known.past };
  const before = outcomeList.parse(JSON.parse(known.outcomes));
  const isAligned =
    before.length === market.outcomes.length &&
    before.every(([, tokenId], index) => tokenId === market.outcomes[index]?.tokenId);
  if (!isAligned) return { priceSince: now, past: null };
  const prices = before.map(([, , price]) => price);
  const hasMoved = prices.some((price, index) => price !== market.outcomes[index]?.probability);
  if (!hasMoved) return { priceSince: since, past: known.past };
  const history: PriceHistory = { since, past: unpackPast(known.past) };
  const next = recordPriceChange(history, { prices, seenUntil }, now);
  return { priceSince: next.since, past: packPast(next.past) };
}

function packOutcomes({ outcomes }: MarketCard): string {
  return JSON.stringify(outcomes.map((o) => [o.label, o.tokenId, o.probability]));
}
