import { noticeOf } from '../../core/envelope.ts';
import { notFound } from '../../core/errors.ts';
import { type Resource, toJson } from '../../core/resource.ts';
import { WHOLE_REPLY } from '../../core/view.ts';
import { toEventReading } from './card.ts';
import { cutMarkets } from './card-size.ts';
import { completeEvent } from './complete-events.ts';
import { describeAnswer, NO_SUCH_EVENT } from './notices.ts';
import {
  findEvent,
  listMarkets,
  listPriceHistories,
  listTags,
  summariseMarkets,
} from './queries.ts';

const MINUTE_MS = 60 * 1_000;
/** Tags that are listed. */
const MAX_TAGS = 500;

const event: Resource = {
  name: 'event',
  title: 'Prediction-market event',
  description:
    'A prediction-market event on the shelf, by its alias (such as pme_16085) or event_card_id: its markets with the latest stored odds, dates, volumes and winners.',
  area: 'markets',
  uri: 'quantshelf://event/{id}',
  mimeType: 'application/json',
  ttlMs: MINUTE_MS,
  complete: { id: completeEvent },
  read({ id = '' }, { db, now }) {
    const held = findEvent(db, id);
    if (held === undefined) throw notFound(NO_SUCH_EVENT);
    const at = now();
    const markets = listMarkets(db, held.id);
    const reading = toEventReading(held, markets, at, listPriceHistories(db, held.id));
    const data = cutMarkets(reading, WHOLE_REPLY);
    const hidden = markets.length - data.markets.length;
    const notice = noticeOf(describeAnswer(db, [held], { cut: [], hidden, now: at }));
    return toJson(data, { asOf: held.syncedAt, ...notice });
  },
};

const tags: Resource = {
  name: 'event_tags',
  title: 'Tags of the prediction markets',
  description:
    'Tags of the prediction-market events on the shelf, with the number of events for each; pass one as `tag` to the event tools.',
  area: 'markets',
  uri: 'quantshelf://tags/events',
  mimeType: 'application/json',
  ttlMs: 60 * MINUTE_MS,
  read: (_, { db, now }) =>
    toJson(listTags(db, MAX_TAGS), {
      asOf: summariseMarkets(db).newest ?? now().toISOString(),
    }),
};

export const marketResources: readonly Resource[] = [tags, event];
