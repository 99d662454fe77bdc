import type * as z from 'zod';
import { known } from '../../core/envelope.ts';
import type { Answer, View } from '../../core/operation.ts';
import { describeNearest, NEAREST } from '../../core/view.ts';
import type { eventCard, eventReading } from './card.ts';

type EventCard = z.output<typeof eventCard>;

/** What a model reads of a list of events: labels and odds, without what only reading one calls for. */
export function viewOfEvents({
  data: { events, ...list },
  meta: { verdict },
}: Answer<{ events: (EventCard & { semantic_score?: number })[]; count: number }>): View {
  if (verdict === 'none') {
    const nearest = events.slice(0, NEAREST);
    return {
      data: {
        events: nearest.map(({ event_card_id, title, semantic_score }) => ({
          ...{ event_card_id, title, semantic_score },
        })),
        ...list,
      },
      ...describeNearest(events.length, 'events'),
    };
  }
  return { data: { events: events.map(toBriefCard), ...list } };
}

/** Ids, money and rules of the markets come with reading the event. */
function toBriefCard({
  alias: _alias,
  url: _url,
  description: _description,
  markets,
  ...card
}: EventCard) {
  return {
    ...card,
    markets: markets.map(({ market_question, outcomes, status, ...market }) => ({
      market_question,
      outcomes: outcomes.map(({ label, current_probability }) => ({ label, current_probability })),
      ...(status === card.status ? {} : { status }),
      ...(market.price_basis === undefined ? {} : { price_basis: market.price_basis }),
      ...(market.also === undefined ? {} : { also: market.also }),
      ...(market.winning_outcome === undefined ? {} : { winning_outcome: market.winning_outcome }),
    })),
  };
}

/** What a model reads of one event: all but the second and the third of its names. */
export function viewOfEvent({ data }: Answer<z.output<typeof eventReading>>): View {
  const { alias: _alias, slug: _slug, description, ...event } = data;
  return { data: { ...event, ...known({ description }) } };
}
