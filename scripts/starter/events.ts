import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { EventFacts } from '../../src/areas/markets/sources/gamma.ts';

const digits = z.string().regex(/^[1-9]\d*$/);
const line = z.string().regex(/^\S(?:.*\S)?$/, { error: 'must be one trimmed line' });
const instant = z.iso.datetime({ precision: 3 });
const price = z.number().min(0).max(1).nullable();
const money = z.number().min(0).nullable();

const starterMarket = z
  .strictObject({
    id: digits,
    slug: line.nullable(),
    question: line,
    groupLabel: line.nullable(),
    place: z.int().min(0).nullable(),
    outcomes: z.array(line).min(1),
    tokenIds: z.array(z.string().regex(/^[1-9]\d{0,77}$/)),
    prices: z.array(price),
    bestBid: price,
    bestAsk: price,
    lastTradePrice: price,
    volume: money,
    liquidity: money,
    active: z.boolean(),
    closed: z.boolean(),
    archived: z.boolean(),
    acceptingOrders: z.boolean().nullable(),
    endTime: instant.nullable(),
    closedTime: instant.nullable(),
  })
  .refine((market) => market.tokenIds.length === market.outcomes.length, {
    error: 'every outcome needs its token id',
  })
  .refine((market) => [0, market.outcomes.length].includes(market.prices.length), {
    error: 'prices must be given for all outcomes or for none',
  });

const starterEvent = z.strictObject({
  id: digits,
  slug: line,
  title: line,
  tags: z.array(z.string().regex(/^\S+$/)).min(1),
  category: line.nullable(),
  recurrence: line.nullable(),
  active: z.boolean(),
  closed: z.boolean(),
  archived: z.boolean(),
  mutuallyExclusive: z.boolean(),
  startTime: instant.nullable(),
  endTime: instant.nullable(),
  closedTime: instant.nullable(),
  volume: money,
  volume24h: money,
  liquidity: money,
  openInterest: money,
  resolutionSource: z.url({ protocol: /^https?$/ }).nullable(),
  /** The time of these figures: the latest change in the pull. */
  pulledAt: instant,
  markets: z.array(starterMarket).min(1),
});

const starterFile = z.strictObject({ events: z.array(starterEvent).min(1) });

/** One event of the starter shelf: its facts, and the time of the pull that they come from. */
export interface StarterEvent {
  facts: EventFacts;
  /** ISO 8601 with milliseconds. */
  pulledAt: string;
}

/**
 * Reads `events.json` of the starter directory, in its order. Descriptions are null, because they are
 * other people's text. Throws an Error that names the file, the place and the fault.
 */
export function readStarterEvents(dir: string): StarterEvent[] {
  const file = join(dir, 'events.json');
  const result = starterFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!result.success) throw new Error(`${file}: ${z.prettifyError(result.error)}`);
  const { events } = result.data;
  requireUnique(
    file,
    events.map((event) => `event ${event.id}`),
  );
  requireUnique(
    file,
    events.flatMap(({ markets }) => markets.map(({ id }) => `market ${id}`)),
  );
  return events.map(({ pulledAt, ...facts }) => ({
    pulledAt,
    facts: { ...facts, description: null },
  }));
}

function requireUnique(file: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${file}: ${twice} stands twice`);
}
