import * as z from 'zod';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/errors.ts';
import type { Reply } from '../../../upstream/http.ts';
import { readJson } from '../../../upstream/json.ts';
import { type EventFacts, parseGammaEvent } from './gamma.ts';

/** Statuses with a meaning of Polymarket's own; the client handles 429 and 5xx. */
export const MEANINGFUL_STATUSES = [404, 422] as const;

/** The server's own maximum is 100. */
const MAX_EVENTS = 500;
const eventPage = z.object({
  events: z.array(z.unknown()).max(MAX_EVENTS),
  next_cursor: z.string().nullish(),
});
const tagRecord = z.object({
  id: z.union([z.string(), z.int()]).transform(String),
});

export interface EventPage {
  events: EventFacts[];
  /** Number of events skipped because they could not be parsed. */
  unreadable: number;
  /** Cursor of the next page; null on the last. */
  cursor: string | null;
}

/** One page of a list. Throws an InvalidResponseError if more than half of its events are invalid. */
export function parseEventPage(reply: Reply): EventPage {
  if (reply.status === 404)
    throw new RejectedRequestError('Polymarket has nothing at this address.');
  const { events: wires, next_cursor: next } = read(reply, eventPage);
  const events = wires.flatMap((wire) => parseOrSkip(wire) ?? []);
  const unreadable = wires.length - events.length;
  if (unreadable * 2 > wires.length) {
    throw new InvalidResponseError('Polymarket sent a page of mostly invalid events.');
  }
  return { events, unreadable, cursor: next || null };
}

/** The requested event; null when there is none with this id. */
export function parseOneEvent(reply: Reply, id: string): EventFacts | null {
  if (reply.status === 404) return null;
  const facts = parseOrSkip(read(reply, z.unknown()));
  if (facts === null) throw new InvalidResponseError('Polymarket sent an invalid event.');
  if (facts.id !== id)
    throw new InvalidResponseError('Polymarket sent a different event than requested.');
  return facts;
}

/** The id of the requested tag; null when there is none. */
export function parseTagId(reply: Reply): string | null {
  return reply.status === 404 ? null : read(reply, tagRecord).id;
}

/** Throws a RejectedRequestError for a rejected request, an InvalidResponseError if a retry may help. */
function read<T>({ status, body }: Reply, shape: z.ZodType<T>): T {
  if (status === 422) throw new RejectedRequestError('Polymarket rejected the request.');
  return readJson(body, shape, 'Polymarket');
}

/** Null for an event that cannot be parsed; the others on the page still count. */
function parseOrSkip(wire: unknown): EventFacts | null {
  try {
    return parseGammaEvent(wire);
  } catch {
    return null;
  }
}
