import { type Context, type Freshened, NOT_FETCHED } from '../../core/context.ts';
import { parseInstant } from '../../core/fields.ts';
import type { Reader } from '../../core/reader.ts';
import { countOf } from '../../core/text.ts';
import { resolveAsset } from './assets.ts';
import { endedUnseen } from './card.ts';
import { type EventFilters, toSlug } from './filters.ts';
import {
  type EventRow,
  findBounds,
  hasFailed,
  isTagUsed,
  listPulls,
  listTags,
  summariseMarkets,
} from './queries.ts';
import { titleOfVenue, VENUES, type Venue, venuesOf } from './sources/venues.ts';

/* Sentences for notices and errors; '' if there is nothing to say. */

/** Error message for an unknown id, which may belong to a disabled venue. */
export function describeUnknown(db: Reader, id: string): string {
  const on = venuesOf(listPulls(db));
  const folded = id.toLowerCase();
  const venue = VENUES.find(
    ({ name, host, alias }) => !on.includes(name) && (alias.test(folded) || folded.includes(host)),
  );
  return venue === undefined
    ? 'No event has this event_card_id. Take one from prediction_market_event_search or prediction_market_event_browse.'
    : `${venue.title} is disabled on this shelf: ${fetchesFrom(venue)}.`;
}

const fetchesFrom = ({ name, title }: Venue) =>
  `\`quantshelf sync markets --source ${name}\` fetches ${title} events`;

/** Maximum number of ids in a notice. */
const MAX_NAMED = 3;
/** Maximum number of tags or assets in a notice; the most frequent come first. */
const MAX_LABELS = 12;

/**
 * Notices about a reply, the most important first. `cut` lists the events that did not fit;
 * `roomier` is the URI of a resource with room for more markets; a single event has no `filters`.
 */
export function describeReply(
  db: Reader,
  served: readonly EventRow[],
  options: {
    cut?: readonly EventRow[];
    hidden: number;
    roomier?: string;
    filters?: EventFilters;
    now: Date;
  },
): string[] {
  const { cut = [], hidden, roomier, filters, now } = options;
  if (filters !== undefined && served.length === 0) return [describeNothing(db, filters, now)];
  return [
    describeSettlement(served),
    describeEnded(served, now) || describeSnapshot(served),
    cut.length === 0
      ? ''
      : `Only ${served.length} of ${served.length + cut.length} events could fit in one reply; read the others with prediction_market_event_read: ${cut.map(({ alias }) => alias).join(', ')}.`,
    hidden === 0
      ? ''
      : `Omitted for space: ${countOf(hidden, 'market')} (more_markets); the most likely and most traded are shown, preferably those still trading${roomier === undefined ? '' : `; the resource ${roomier} has room for more`}.`,
  ];
}

/** Lists the named events that are not stored; if all are stored, those outside the filters. */
export function describeUnheld(missing: readonly string[], filtered: readonly string[]): string {
  if (missing.length > 0) return `Not on this shelf: ${missing.slice(0, MAX_NAMED).join(', ')}.`;
  return filtered.length === 0
    ? ''
    : `Stored, but outside the filters: ${filtered.slice(0, MAX_NAMED).join(', ')}; use prediction_market_event_read.`;
}

/** Describes a single event's settlement; in a list, the cards do. */
function describeSettlement([event, ...others]: readonly EventRow[]): string {
  if (event === undefined || others.length > 0) return '';
  const { source, settlement, isMissing, synced_at } = event;
  const { status, value, winning_outcome, at } = settlement;
  const venue = titleOfVenue(source);
  const pays = value === undefined ? '' : `: a share of the first outcome pays $${value}`;
  const won = winning_outcome === undefined ? pays : `: ${winning_outcome}`;
  switch (status) {
    case 'open':
      return '';
    case 'settled':
      return `Settled${at === undefined ? '' : ` ${toDay(at)}`}${won}.`;
    case 'void':
      return `Void (no outcome won)${pays}.`;
    case 'disputed':
      return `As of ${toDay(synced_at)} the result is disputed at ${venue} and may change, so these odds are not the outcome.`;
    default:
      return isMissing
        ? `${venue} no longer has the markets of this event; no result is stored, and these odds are not the outcome.`
        : 'Trading is over or a result is proposed, but no result is final, so these odds are not the outcome.';
  }
}

/**
 * Warns of events that have ended since they were last seen. A single event that was no longer open
 * when last seen is left to `describeSettlement`.
 */
function describeEnded(events: readonly EventRow[], now: Date): string {
  const ended = events.filter((event) => endedUnseen(event, now) !== null);
  const [first] = ended;
  if (first === undefined || (events.length === 1 && first.settlement.status !== 'open')) return '';
  const isBundled = ended.every(({ origin }) => origin === 'starter');
  const days = listDays(ended);
  if (events.length === 1) {
    const seen = isBundled ? `the snapshot of ${days}` : `it was last seen on ${days}`;
    return `Ended ${toDay(endedUnseen(first, now) ?? undefined)}, after ${seen}: these odds are not the outcome.`;
  }
  const seen = isBundled ? `the snapshot of ${days}` : `being last seen (${days})`;
  return `${ended.length} of ${events.length} events ended (end_time) after ${seen}: those odds are not the outcome.`;
}

function describeSnapshot(events: readonly EventRow[]): string {
  const starters = events.filter((event) => event.origin === 'starter');
  if (starters.length === 0) return '';
  return `Starter data: a snapshot of ${listDays(starters)}, not live odds.`;
}

/** The days on which events were seen; if more than three, the first and the last. */
function listDays(events: readonly EventRow[]): string {
  const days = [...new Set(events.map(({ synced_at }) => toDay(synced_at)))].sort();
  return days.length > 3 ? `${days[0]} to ${days.at(-1)}` : days.join(', ');
}

function toDay(time: string | undefined): string {
  return time?.slice(0, 10) ?? '';
}

/** Explains an empty reply by the filter that excludes every event, or else by event counts. */
function describeNothing(db: Reader, filters: EventFilters, now: Date): string {
  const { count, active, closed } = summariseMarkets(db);
  const [tags, assets] = (['tag', 'asset'] as const).map((kind) =>
    listTags(db, MAX_LABELS, kind)
      .map((each) => each.tag)
      .join(', '),
  );
  const tag = filters.tag === undefined ? null : toSlug(filters.tag);
  const venue = VENUES.find(({ name }) => name === tag);
  if (venue !== undefined && !isTagUsed(db, venue.name)) {
    return `No ${venue.title} event is stored: ${fetchesFrom(venue)}.`;
  }
  if (tag !== null && !isTagUsed(db, tag)) {
    return `No stored event has the tag ${JSON.stringify(tag)}; the most common tags are ${tags}; the resource quantshelf://tags/events lists more.`;
  }
  const { asset = null } = filters;
  const symbol = asset === null ? null : resolveAsset(asset);
  // A name that matches no asset may be a tag.
  const isUsed =
    symbol === null ? isTagUsed(db, toSlug(asset ?? '')) : isTagUsed(db, symbol, 'asset');
  if (asset !== null && !isUsed) {
    return `No stored event is about the asset ${JSON.stringify(asset)}; the most common assets are ${assets}.`;
  }
  const bounds = describeBounds(db, filters, now);
  if (bounds !== '') return bounds;
  return `No event matches among the ${countOf(count, 'finance event')} stored (${active} active, ${count - active - closed} inactive, ${closed} closed when last seen; most common tags: ${tags}).`;
}

/** The bounds of the events with this status, if a requested time or minimum lies outside them. */
function describeBounds(
  db: Reader,
  { status, start_time: start, end_time: end, min_volume = 0, min_liquidity = 0 }: EventFilters,
  now: Date,
): string {
  const { count, first, last, volume, liquidity } = findBounds(db, status, now);
  const isBefore = end !== undefined && parseInstant(end) < Date.parse(first);
  const isAfter = start !== undefined && parseInstant(start) > Date.parse(last);
  const facts = [
    isBefore || isAfter ? `resolve from ${toDay(first)} to ${toDay(last)}` : '',
    min_volume > volume ? `have a volume of at most ${volume}` : '',
    min_liquidity > liquidity ? `have a liquidity of at most ${liquidity}` : '',
  ].filter(Boolean);
  return count === 0 || facts.length === 0
    ? ''
    : `No event matches: stored events with this status (${count}) ${facts.join(' and ')}.`;
}

/** Names the venues whose odds are old because their last pull failed, and dates the odds. */
export function describeFailed(db: Reader, old: readonly EventRow[]): string {
  const pulls = listPulls(db);
  const events = old.filter(({ source }) => hasFailed(pulls, source));
  if (events.length === 0) return '';
  const names = [...new Set(events.map(({ source }) => titleOfVenue(source)))].join(' and ');
  return `The last refresh of ${names} did not finish, so these odds are from ${listDays(events)}: \`quantshelf status\` says why.`;
}

/** Explains why a read returned old odds. */
export function describeWait({ source, synced_at }: EventRow, refresh: Freshened | 'off'): string {
  if (refresh === 'pending') return FRESHER;
  if (refresh === 'off') return '';
  if (refresh === 'offline' || refresh === 'read_only') return NOT_FETCHED[refresh];
  const fault = refresh === 'unreachable' ? 'cannot be reached' : 'sent no usable response';
  return `These odds are from ${toDay(synced_at)} because ${titleOfVenue(source)} ${fault}.`;
}

const FRESHER = 'Fresher odds are being fetched in the background: call again in a minute or two.';

/**
 * Announces fresher odds if any events have old odds (`old` counts them), otherwise a full refresh;
 * or explains why this process may not fetch.
 */
export function describeRefresh(scope: ReturnType<Context['refreshMarkets']>, old: number): string {
  if (scope === null) return '';
  if (scope === 'offline' || scope === 'read_only') return NOT_FETCHED[scope];
  if (old > 0) return FRESHER;
  return scope === 'full'
    ? 'All events are being fetched in the background: call again in a few minutes.'
    : '';
}
