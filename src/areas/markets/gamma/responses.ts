import * as z from 'zod';
import { BadAnswer, type Reply } from '../../../upstream/polite.ts';
import { GammaRefusal } from './errors.ts';
import { parseGammaEvent } from './event.ts';
import type { EventFacts } from './facts.ts';

/** Statuses that mean something; 429 and 5xx are the client's. */
export const MEANINGFUL_STATUSES = [404, 422] as const;

const eventPage = z.object({ events: z.array(z.unknown()), next_cursor: z.string().nullish() });
const tagRecord = z.object({
  id: z.union([z.string(), z.int()]).transform(String),
  slug: z.string().min(1),
});

export interface EventPage {
  events: EventFacts[];
  /** Events of the page that could not be understood; they are left out. */
  unreadable: number;
  /** Where the next page begins; null after the last one. */
  cursor: string | null;
}

export interface TagFacts {
  id: string;
  slug: string;
}

/** One page of a list. A page of which more than half is no event at all is no answer. */
export function parseEventPage(reply: Reply): EventPage {
  if (reply.status === 404) throw new GammaRefusal('not_there');
  const { events: wires, next_cursor: next } = read(reply, eventPage);
  const events = wires.flatMap((wire) => parseOrSkip(wire) ?? []);
  const unreadable = wires.length - events.length;
  if (unreadable * 2 > wires.length) {
    throw new BadAnswer('Polymarket sent a page of which most is no event.');
  }
  return { events, unreadable, cursor: next || null };
}

/** The event that was asked for, or null when there is none of this id. */
export function parseOneEvent(reply: Reply, id: string): EventFacts | null {
  if (reply.status === 404) return null;
  const facts = parseOrSkip(read(reply, z.unknown()));
  if (facts === null) throw new BadAnswer('Polymarket sent something that is no event.');
  if (facts.id !== id) throw new BadAnswer('Polymarket sent another event than was asked for.');
  return facts;
}

/** The tag of a slug, or null when there is none. */
export function parseTag(reply: Reply): TagFacts | null {
  return reply.status === 404 ? null : read(reply, tagRecord);
}

/** Throws a GammaRefusal where Polymarket declines, and a BadAnswer where another try may help. */
function read<T>({ status, body }: Reply, shape: z.ZodType<T>): T {
  if (status === 422) throw new GammaRefusal('bad_question');
  const parsed = shape.safeParse(parseJson(body));
  if (!parsed.success) throw new BadAnswer('Polymarket sent an answer of another shape.');
  return parsed.data;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadAnswer('Polymarket sent something that is no JSON.');
  }
}

/** Null for whatever cannot be read as an event: one odd event must not cost the others. */
function parseOrSkip(wire: unknown): EventFacts | null {
  try {
    return parseGammaEvent(wire);
  } catch {
    return null;
  }
}
