import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { noticeOf, roundScore, withoutNulls } from '../../core/envelope.ts';
import { notFound, serviceUnavailable } from '../../core/errors.ts';
import { instant, text, wholeNumber } from '../../core/fields.ts';
import { defineOperation } from '../../core/operation.ts';
import { WHOLE_REPLY } from '../../core/reply.ts';
import { fitList, isDue, isOld, readEvent, toEventCard } from './card.ts';
import { checkWindow, DEFAULT_STATUS, readCursor, STATUS_FILTERS, writeCursor } from './filters.ts';
import { findEvents } from './find.ts';
import {
  describeFailed,
  describeRefresh,
  describeReply,
  describeUnknown,
  describeWait,
} from './notices.ts';
import {
  browseEvents,
  type EventRow,
  findEvent,
  getEventById,
  summariseMarkets,
} from './queries.ts';
import { eventCard, fullEventCard, rankedEventCard } from './sources/event-card.ts';
import { VENUES } from './sources/venues.ts';

const filterFields = {
  tag: text(100, `Tag or venue, such as crypto, fed-rates or ${VENUES.at(-1)?.name}.`).optional(),
  start_time: instant(
    'Earliest resolution as 2026-01-31T00:00:00Z (ISO 8601 UTC); needs end_time.',
  ).optional(),
  end_time: instant(
    'Latest resolution, same format; needs start_time. A date alone means 00:00 UTC.',
  ).optional(),
};
const status = z.enum(STATUS_FILTERS);
const minimum = (description: string) => z.number().min(0).optional().meta({ description });
const TITLES = VENUES.map(({ title }) => title);
const WHERE_ON = VENUES.map(({ title, isOptional }) =>
  isOptional ? `${title} if enabled` : title,
).join(', ');
const SCOPE = 'finance' as const;
const scope = z.literal(SCOPE).describe('Finance events only.');
const count = z.number().describe('Number of events in this reply.');

export const predictionMarketEventBrowse = defineOperation({
  name: 'prediction_market_event_browse',
  title: 'Browse prediction-market events',
  description:
    `Lists prediction markets and bets on finance (${WHERE_ON}), active or closed, by tag, asset, end date, volume or liquidity, the most liquid first, with odds. ` +
    "For questions in words use prediction_market_event_search. meta.asOf is the time of the odds; prediction_market_event_read returns more of an event's markets.",
  searchHint: `list ${TITLES.join(' and ')} prediction markets, bets, odds, crypto, Fed, economy, elections`,
  area: 'markets',
  price: 1,
  method: 'GET',
  path: '/api/prediction_market/events',
  fetches: true,
  view: 'histories and events',
  input: z.object({
    status: status.default('active').meta({
      description: 'Defaults to active. "Recently closed" means closed in the last 30 days.',
    }),
    q: text(200, 'Words that must all occur, also inside other words.').optional(),
    ...filterFields,
    asset: text(100, 'Asset or entity, such as BTC, Fed or NVDA.').optional(),
    min_volume: minimum("In the events' volume_unit, 0 or more."),
    min_liquidity: minimum(
      'US dollars, 0 or more; excludes events whose venue reports no liquidity.',
    ),
    limit: wholeNumber(
      1,
      100,
      20,
      'Maximum number of events; a long reply has fewer, and a nextCursor.',
    ),
    cursor: z
      .string()
      .optional()
      .meta({ description: 'nextCursor of the previous reply, with the same filters.' }),
  }),
  output: z.object({
    events: z.array(eventCard).describe('Active and most liquid first.'),
    count,
    nextCursor: z
      .string()
      .optional()
      .describe('Present if there are more events; pass it as `cursor`.'),
    scope,
  }),
  example: { tag: 'rates', limit: 3 },
  check({ limit: _, cursor, ...filters }) {
    checkWindow(filters);
    if (cursor !== undefined) readCursor(cursor, filters);
  },
  async handler({ limit, cursor, ...filters }, context) {
    const { db } = context;
    const at = context.now();
    const after = cursor === undefined ? null : readCursor(cursor, filters);
    // Ask for one more event, to know whether there is a next page.
    const rows = browseEvents(db, filters, at, { limit: limit + 1, after });
    const { cards: events, hidden } = fitList(
      rows.slice(0, limit),
      (event) => toEventCard(db, event, at),
      context.replySize,
    );
    const served = rows.slice(0, events.length);
    const last = served.length < rows.length ? served.at(-1) : undefined;
    const next = last && { nextCursor: writeCursor(last, filters) };
    return {
      data: { events, count: events.length, ...next, scope: SCOPE },
      meta: withFreshness(context, served, describeReply(db, served, { hidden, filters, now: at })),
    };
  },
});

export const predictionMarketEventSearch = defineOperation({
  name: 'prediction_market_event_search',
  title: 'Search prediction-market events',
  description:
    `Finds prediction markets, bets and forecasts (${TITLES.join(', ')}) with odds: the probability or implied chance of a Fed rate cut, the next Fed chair, an election, a recession, a bitcoin price. ` +
    'Give the subject in English, as keywords or a sentence. meta.verdict rates the match as strong, weak or none; meta.asOf is the time of the odds. ' +
    'For lists and exact filters use prediction_market_event_browse.',
  searchHint: `odds, probability, chance, bets, forecast, ${TITLES.join(', ')}, Fed rate cut, election of a Fed chair, recession, inflation, bitcoin`,
  area: 'markets',
  price: 2,
  method: 'POST',
  path: '/api/prediction_market/events/search',
  fetches: true,
  ranks: true,
  view: 'histories and events',
  input: z.object({
    query: text(2000, 'What you want to know, in plain words.'),
    status: status.default(DEFAULT_STATUS).meta({
      description: 'Defaults to active_or_recently_closed: active, or closed in the last 30 days.',
    }),
    ...filterFields,
    limit: wholeNumber(1, 20, 5, 'Maximum number of events.'),
  }),
  output: z.object({ events: z.array(rankedEventCard).describe('Best first.'), count, scope }),
  example: { query: 'will the Fed cut interest rates', limit: 3 },
  check: checkWindow,
  async handler({ query, limit, ...filters }, context) {
    const { db } = context;
    const at = context.now();
    const result = await findEvents(context, query, filters, { limit, now: at });
    const { matches, verdict, holding, understood, notices } = result;
    const reserved = JSON.stringify([understood, notices]).length;
    const { cards: events, hidden } = fitList(
      matches,
      ({ event, score }) => ({
        ...toEventCard(db, event, at),
        semantic_score: roundScore(score),
        synced_at: event.synced_at,
      }),
      { ...context.replySize, list: context.replySize.list - reserved },
    );
    const rows = matches.map(({ event }) => event);
    const served = rows.slice(0, events.length);
    return {
      data: { events, count: events.length, scope: SCOPE },
      meta: {
        verdict,
        ...withoutNulls({ holding }),
        ...(understood.length > 0 ? { understood } : {}),
        ...withFreshness(context, served, [
          ...describeReply(db, served, {
            cut: rows.slice(events.length),
            hidden,
            filters,
            now: at,
          }),
          ...notices,
        ]),
      },
    };
  },
});

export const predictionMarketEventRead = defineOperation({
  name: 'prediction_market_event_read',
  title: 'Read a prediction-market event',
  description:
    `Reads one prediction-market event (${TITLES.join(' or ')}): its markets and outcomes with the latest odds, daily odds for up to 14 days, rules, dates, volume, liquidity, winners and link. ` +
    'Take the event_card_id from prediction_market_event_search or prediction_market_event_browse.',
  searchHint: `${TITLES.join(' or ')} event details, outcomes, odds, history, rules`,
  area: 'markets',
  price: 0,
  method: 'GET',
  path: '/api/prediction_market/events/{event_card_id}',
  fetches: true,
  view: 'histories and events',
  input: z.object({
    event_card_id: text(199, 'event_card_id, alias (such as pme_16085), slug or URL of the event.'),
  }),
  output: fullEventCard,
  example: { event_card_id: 'pme_16085' },
  async handler({ event_card_id }, { db, now, replySize, freshenEvent, signal }) {
    const stored = findEvent(db, event_card_id);
    if (stored === undefined) throw notFound(describeUnknown(db, event_card_id), 'event_card_id');
    const refresh = isDue(stored, now()) ? await freshenEvent(stored.id, signal) : 'settled';
    const event = getEventById(db, stored.id) ?? stored;
    const at = now();
    const { data, hidden } = readEvent(db, event, at, replySize);
    const uri = `quantshelf://event/${event.alias}`;
    const roomier = replySize.event < WHOLE_REPLY.event ? { roomier: uri } : {};
    const parts = [
      ...describeReply(db, [event], { hidden, ...roomier, now: at }),
      isDue(event, at) ? describeWait(event, refresh) : '',
    ];
    return { data, meta: { asOf: event.synced_at, ...noticeOf(parts) } };
  },
});

/**
 * Returns a reply's `asOf` and notice, and requests a background refresh if the odds are old.
 * `asOf` is the earliest `synced_at` or, for an empty reply, the latest on the shelf. Throws
 * `service_unavailable` if no events are stored.
 */
function withFreshness(
  { db, now, refreshMarkets }: Pick<Context, 'db' | 'now' | 'refreshMarkets'>,
  served: readonly EventRow[],
  parts: readonly string[],
) {
  const oldest = served.map((event) => event.synced_at).sort()[0];
  const asOf = oldest ?? summariseMarkets(db).newest;
  if (asOf === null) {
    throw serviceUnavailable(
      'The shelf contains no prediction markets. Run `quantshelf doctor` to see why.',
    );
  }
  // The odds of closed events no longer move.
  const old = served.filter(
    ({ status, isMissing, synced_at }) =>
      status !== 'closed' && !isMissing && isOld(synced_at, now()),
  );
  const isDue = served.length === 0 ? isOld(asOf, now()) : old.length > 0;
  const coming = isDue ? describeRefresh(refreshMarkets(old.map(({ id }) => id)), old.length) : '';
  return { asOf, ...noticeOf([...parts, describeFailed(db, old), coming]) };
}
