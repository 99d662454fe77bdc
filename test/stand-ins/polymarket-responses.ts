import { json, type StandInResponse } from './faults.ts';

/** An event as Gamma sends it. Each test decides on its content. */
export type WireEvent = Record<string, unknown> & { id: string };

/** The server's page limit, whatever the request asks for. */
const CAP = 100;

/** Gamma's response to one request. */
export function respondAsGamma(url: URL, events: readonly WireEvent[]): StandInResponse {
  const { pathname, searchParams: query } = url;
  if (pathname === '/events/keyset') return respondWithList(query, events);
  const event = events.find(({ id }) => pathname === `/events/${id}`);
  return event === undefined
    ? json({ type: 'not found error', error: 'not found' }, 404)
    : json(event);
}

function respondWithList(query: URLSearchParams, events: readonly WireEvent[]): StandInResponse {
  if (query.has('offset')) return refuse('offset is not allowed on keyset endpoints');
  if (query.get('order') !== 'id' || query.get('ascending') !== 'true')
    return refuse('the stand-in lists events by id only');
  const sorted = events
    .filter((event) => fits(event, query))
    .sort((a, b) => Number(a.id) - Number(b.id));
  const filters = filtersOf(query);
  const after = readCursor(query.get('after_cursor'));
  if (after !== null && after.filters !== filters) return refuse('invalid cursor');
  const isAfter = (event: WireEvent) => after === null || Number(event.id) > after.id;
  const limit = Math.min(Number(query.get('limit') ?? 20), CAP);
  const page = sorted.filter(isAfter).slice(0, limit);
  const last = page.at(-1);
  const next =
    page.length === limit && last !== undefined
      ? { next_cursor: writeCursor({ filters, id: Number(last.id) }) }
      : {};
  return json({ events: page, ...next });
}

function fits(event: WireEvent, query: URLSearchParams): boolean {
  const closed = query.get('closed');
  const ids = query.getAll('tag_id');
  const slug = query.get('tag_slug');
  const since = query.get('end_date_min');
  const tags = tagsOf(event);
  return (
    (closed === null || String(event.closed ?? false) === closed) &&
    (ids.length === 0 || tags.some((tag) => ids.includes(tag.id))) &&
    (slug === null || tags.some((tag) => tag.slug === slug)) &&
    (since === null || Date.parse(String(event.endDate)) >= Date.parse(since))
  );
}

function tagsOf({ tags }: WireEvent): { id: string; slug: string }[] {
  return (Array.isArray(tags) ? tags : []).map((tag: Record<string, unknown>) => ({
    id: String(tag.id),
    slug: String(tag.slug),
  }));
}

/** The filters that a cursor is bound to; the page size is not one of them. */
function filtersOf(query: URLSearchParams): string {
  const others = new Set(['after_cursor', 'limit', 'cursor']);
  return [...query].filter(([name]) => !others.has(name)).join('&');
}

interface Cursor {
  filters: string;
  id: number;
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function readCursor(text: string | null): Cursor | null {
  return text === null ? null : JSON.parse(Buffer.from(text, 'base64url').toString());
}

function refuse(error: string): StandInResponse {
  return json({ type: 'validation error', error }, 422);
}
