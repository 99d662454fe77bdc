import * as z from 'zod';

/** In browse order. */
export const STATUSES = ['active', 'inactive', 'closed'] as const;
export type Status = (typeof STATUSES)[number];
/** How much of an event is stored, regardless of its age. */
const COVERAGES = ['complete', 'partial', 'metadata_only'] as const;

const status = z.enum(STATUSES);
/** Rounded to two decimals. */
const amount = z.number().overwrite((each) => Math.round(each * 100) / 100);

const outcome = z.object({
  label: z.string().describe('Yes, No or a name.'),
  outcome_token_id: z
    .string()
    .describe('Text, since it may be too large for a JSON number; empty if the venue has none.'),
  current_probability: z.number().describe('A fraction, 0 to 1.'),
});

const note = (description: string) => z.string().describe(description).exactOptional();

const settlement = z.object({
  status: z
    .enum(['open', 'ended', 'disputed', 'settled', 'void'])
    .describe(
      'ended: trading is over or a result is proposed, but none is final; void: no outcome won.',
    ),
  value: z
    .number()
    .describe('Dollars paid per share of the first outcome, 0 to 1.')
    .exactOptional(),
  winning_outcome: note('Present only once settled and undisputed.'),
  at: note('When it was settled.'),
});
export type Settlement = z.output<typeof settlement>;

/** Whether the result can no longer change. */
export function isFinal({ status }: Settlement): boolean {
  return status === 'settled' || status === 'void';
}

const market = {
  market_card_id: z.string().describe('Stable id of the market.'),
  market_question: z.string().describe('The question that the market asks.'),
  outcomes: z.array(outcome).describe('Possible outcomes with their odds.'),
  status: status.describe('State of the market.'),
  price_basis: z
    .enum(['midpoint', 'last_price', 'result'])
    .describe('How the odds were derived; absent where the venue states them.')
    .exactOptional(),
  also: z
    .object({
      source: z.string().describe('The other venue.'),
      event_card_id: z.string().describe('Its event.'),
      probability: z.number().describe('Probability of the first outcome there.'),
    })
    .describe(
      'The odds of the first outcome at another venue, for the same asset or Fed decision, day and strike; read the rules of both.',
    )
    .exactOptional(),
  liquidity: amount.describe(
    'US dollars; 0 where the venue reports none, in which case the event has no `liquidity`.',
  ),
  volume: amount.describe("Total traded, in the event's volume_unit."),
  settlement: settlement.describe('How the market was settled; absent while open.').exactOptional(),
};

/** Market fields that only a read returns. */
const marketDetails = {
  group_label: note('What distinguishes the market from the others of its event.'),
  end_time: note('When the market is due to be resolved.'),
};

/** Fields that help to choose an event come first, the many markets last. */
const head = {
  event_card_id: z.string().describe('Stable id, for prediction_market_event_read.'),
  alias: z.string().describe('Short id, accepted as event_card_id.'),
  title: z.string().describe('What the event is about.'),
  source: z.string().describe('Name of the venue; usable as a tag.'),
  url: z.string().describe('URL of the event at its venue.'),
  status: status.describe('State of the event.'),
  end_time: note('When it is due to be resolved.'),
  settlement: settlement.describe(
    'How the event was settled; open while any of its markets is open.',
  ),
  volume: amount.describe('Total traded, in volume_unit.'),
  volume_unit: z
    .enum(['usd', 'contracts'])
    .describe('usd: US dollars; contracts: each pays one dollar if its outcome occurs.'),
  liquidity: amount.describe('US dollars; absent where the venue reports none.').exactOptional(),
  coverage_status: z
    .enum([...COVERAGES, 'stale'])
    .describe('How much of the event is stored; stale if out of date.'),
  tags: z.array(z.string()).describe("Finance tags first, then the venue's own."),
};
const body = {
  description: z.string().nullable().describe("The venue's own rules, if published."),
  indicator: note('Related macro indicator, for macro_indicator_history.'),
  more_markets: z.number().describe('Number of omitted markets.').exactOptional(),
  market_count: z.number().describe('Number of markets in `markets`.'),
  markets: z.array(z.object(market)).describe('Its markets, or as many as fit into the reply.'),
};

/** A list may omit aliases and URLs to make room for more events. */
const listed = { ...head, alias: head.alias.exactOptional(), url: head.url.exactOptional() };

export const eventCard = z.object({ ...listed, ...body });

export const rankedEventCard = z.object({
  ...listed,
  semantic_score: z.number().describe('Higher is closer to the query; 0 to 1.'),
  synced_at: note('When it was last seen.'),
  ...body,
});

/** Event fields that only a read returns. */
const details = {
  slug: z.string().describe('Name of the event in its URL.'),
  category: note("The venue's category."),
  start_time: note('When it opened.'),
  closed_time: note('When it closed.'),
  volume_24h: amount
    .describe('Amount traded in the 24 hours before it was last seen, in volume_unit.')
    .exactOptional(),
  open_interest: amount.describe('In volume_unit.').exactOptional(),
  mutually_exclusive: z.boolean().describe('True when at most one of its markets can come true.'),
  resolution_source: note('URL of the source that decides the outcome, per the venue.'),
};

const earlier = (when: string) => z.number().optional().describe(`Probability ${when}.`);

export const fullEventCard = z.object({
  ...head,
  ...details,
  synced_at: z.string().describe('When it was last seen.'),
  ...body,
  markets: z
    .array(
      z.object({
        ...market,
        outcomes: z
          .array(
            outcome.extend({
              previous_probability: earlier('before the last change'),
              previous_at: note('When previous_probability was last seen.'),
              day_ago_probability: earlier('about a day before the market was last seen'),
              week_ago_probability: earlier('about a week before the market was last seen'),
            }),
          )
          .describe('Possible outcomes, with their odds and how they moved.'),
        ...marketDetails,
        history: z
          .array(
            z.object({
              date: z.string().describe('YYYY-MM-DD, UTC.'),
              odds: z
                .number()
                .describe('Odds of the first outcome, last seen on that day; 0 to 1.'),
            }),
          )
          .describe('Daily odds for up to 14 days; may be limited to leading markets.')
          .exactOptional(),
      }),
    )
    .describe('Its markets, or as many as fit into the reply.'),
});

/** An event as stored: its card without the fields that depend on the clock or on other events. */
export const storedEvent = z.object({
  ...head,
  ...details,
  ...body,
  coverage_status: z.enum(COVERAGES),
  markets: z.array(
    z.object({
      ...market,
      ...marketDetails,
      /** The condition that the settlement figure must meet, such as ">110000" or "=-25". */
      strike: z.string().exactOptional(),
    }),
  ),
});
export type StoredEvent = z.output<typeof storedEvent>;
export type StoredMarket = StoredEvent['markets'][number];

/** A market as read from a venue. */
export interface VenueMarket extends StoredMarket {
  /** Position among the event's markets, as on a ladder; null if the venue gives none. */
  place: number | null;
  closed_time: string | null;
}

/** An event as read from a venue, with raw texts and without the fields that we derive. */
export interface VenueEvent
  extends Omit<
    StoredEvent,
    'event_card_id' | 'indicator' | 'market_count' | 'markets' | 'settlement'
  > {
  /** Unique within the venue. */
  sourceId: string;
  /** Finance tags from the venue's categories; empty if outside finance, null if `tags` decide. */
  financeTags: readonly string[] | null;
  /** The venue's name for the event's series. */
  series: string | null;
  /** How often the event's series recurs: "hourly", "monthly" … */
  recurrence: string | null;
  markets: VenueMarket[];
}
