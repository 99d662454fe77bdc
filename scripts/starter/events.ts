import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { STATUSES, type VenueEvent } from '../../src/areas/markets/sources/venue.ts';

const line = z.string().regex(/^\S(?:.*\S)?$/, { error: 'must be one trimmed line' });
const instant = z.iso.datetime({ precision: 3 });
const money = z.number().min(0);

const starterMarket = z.strictObject({
  id: z.string().regex(/^pmm_[1-9]\d*$/),
  question: line,
  groupLabel: line.nullable(),
  place: z.int().min(0).nullable(),
  outcomes: z.array(
    z.strictObject({
      label: line,
      tokenId: z.string().regex(/^[1-9]\d{0,77}$/),
      probability: z.number().min(0).max(1),
    }),
  ),
  status: z.enum(STATUSES),
  liquidity: money,
  volume: money,
  endTime: instant.nullable(),
  closedTime: instant.nullable(),
  winningOutcome: line.nullable(),
});

const starterEvent = z.strictObject({
  source: z.literal('polymarket'),
  sourceId: z.string().regex(/^[1-9]\d*$/),
  alias: z.string().regex(/^pme_[1-9]\d*$/),
  url: z.url({ protocol: /^https$/ }),
  slug: line,
  title: line,
  tags: z.array(z.string().regex(/^\S+$/)).min(1),
  category: line.nullable(),
  recurrence: line.nullable(),
  status: z.enum(STATUSES),
  coverage: z.enum(['complete', 'partial']),
  startTime: instant.nullable(),
  endTime: instant.nullable(),
  closedTime: instant.nullable(),
  volume: money,
  volume24h: money.nullable(),
  liquidity: money,
  openInterest: money.nullable(),
  mutuallyExclusive: z.boolean(),
  resolutionSource: z.url({ protocol: /^https?$/ }).nullable(),
  /** The time of these figures: the latest change in the pull. */
  pulledAt: instant,
  markets: z.array(starterMarket).min(1),
});

const starterFile = z.strictObject({ events: z.array(starterEvent).min(1) });

/** One event of the starter shelf, and the time of the pull that it comes from. */
export interface StarterEvent {
  event: VenueEvent;
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
    events.map(({ sourceId }) => `event ${sourceId}`),
  );
  requireUnique(
    file,
    events.flatMap(({ markets }) => markets.map(({ id }) => `market ${id}`)),
  );
  return events.map(({ pulledAt, markets, ...event }) => ({
    pulledAt,
    event: {
      ...{ ...event, description: null, financeTags: null, series: null },
      ...{ volumeUnit: 'usd', moreMarkets: 0 },
      markets: markets.map((market) => ({ ...market, priceBasis: null, strike: null })),
    },
  }));
}

function requireUnique(file: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${file}: ${twice} stands twice`);
}
