import { AREAS, type Area } from './area.ts';
import { onceOnline, type StoredShelf } from './context.ts';
import { invalidRequest } from './errors.ts';
import { isCalendarDay } from './fields.ts';
import type { Reader } from './reader.ts';
import { HOW_TO_READ, type Prompt, QUOTED_TEXTS, type Resource, toJson } from './resource.ts';
import { shiftDay, toDay } from './time.ts';

/** News of one kind, most important first. */
export interface News {
  /** The kind, such as "papers added". */
  what: string;
  /** Number of items, listed or not. */
  total: number;
  /** `id` is the argument of the tool that reads the item. */
  items: readonly { id: string; text: string }[];
}

/** Lists an area's news since a time, with at most `limit` items per kind. */
export type ListNews = (db: Reader, since: Date, limit: number) => News[];

type NewsByArea = { since: string } & { [Name in Area]?: News[] };

const CAVEAT = "This covers only data up to the shelf's last sync.";
const MAX_ITEMS = 20;

/** The first day of a period, given as "7d" or as a day. Throws `invalid_request`, with `name` in the message. */
export function readPeriod(text: string, now: Date, name = '"since"'): Date {
  const days = /^([1-9]\d{0,3})d$/i.exec(text.trim())?.[1];
  if (days !== undefined) return new Date(shiftDay(toDay(now), -Number(days)));
  const day = text.trim();
  if (isCalendarDay(day) && Date.parse(day) <= now.getTime()) return new Date(day);
  throw invalidRequest(
    `${name} must be a number of days such as 7d, or a date (YYYY-MM-DD) that is not in the future.`,
    'since',
  );
}

export function collectNews(
  lists: Readonly<Record<Area, ListNews>>,
  { db, now, scopes = AREAS }: Pick<StoredShelf, 'db' | 'now' | 'scopes'>,
  period: string,
): NewsByArea {
  const since = readPeriod(period, now());
  const areas = AREAS.filter((area) => scopes.includes(area));
  const entries = areas.map((area) => [area, lists[area](db, since, MAX_ITEMS)] as const);
  return { since: since.toISOString(), ...Object.fromEntries(entries) };
}

/** The news as lines of text, kind by kind; `quote` escapes third-party text. */
export function newsLines(
  { since, ...areas }: NewsByArea,
  quote = (text: string) => text,
): string[] {
  const lines = Object.values(areas)
    .flat()
    .filter(({ total }) => total > 0)
    .flatMap(({ what, total, items }) => [
      `${what}: ${total.toLocaleString('en-US')}`,
      ...items.map(({ id, text }) => `  ${quote(id)}  ${quote(text)}`),
      ...(total > items.length
        ? [`  and ${(total - items.length).toLocaleString('en-US')} more`]
        : []),
    ]);
  return lines.length > 0 ? lines : [`nothing new since ${since.slice(0, 10)}`];
}

export function newsResource(lists: Readonly<Record<Area, ListNews>>): Resource {
  return {
    name: 'new',
    title: 'What is new on the shelf',
    description: `What is new since a date (2026-11-20) or over a number of days (7d): papers added; figures published or revised, with the old value and the new; events opened or settled, and markets whose odds moved by ten points or more. At most ${MAX_ITEMS} of each kind, in the areas that the key may use.`,
    area: null,
    uri: 'quantshelf://new/{since}',
    mimeType: 'application/json',
    ttlMs: 5 * 60 * 1_000,
    complete: { since: (typed) => ['1d', '7d', '30d'].filter((each) => each.startsWith(typed)) },
    read: ({ since = '' }, shelf) => toJson(collectNews(lists, shelf, since), { notice: CAVEAT }),
  };
}

export function weeklyBrief(lists: Readonly<Record<Area, ListNews>>): Prompt {
  return {
    name: 'weekly_brief',
    title: 'Weekly brief',
    description:
      'Writes a brief on what is new on the shelf: papers, figures and revisions, events, and changes in odds.',
    area: null,
    arguments: {
      since: {
        description: 'A number of days such as 7d, or a date (YYYY-MM-DD); 7d if omitted.',
        isRequired: false,
        max: 100,
      },
    },
    write: ({ since = '7d' }, shelf) => {
      const news = collectNews(lists, shelf, since);
      return `Write a brief of what is new since ${news.since.slice(0, 10)} for a quantitative researcher, on one page.

${QUOTED_TEXTS} ${CAVEAT}
${newsLines(news, (text) => JSON.stringify(text)).join('\n')}

Use QuantShelf:
1. Choose what matters: surprises in figures and revisions, odds that moved with money behind them, papers that bear on them. Leave the rest out, and say how much there was.
2. Read what you report before you report it: macro_indicator_history (1 credit), prediction_market_event_read and paper_read (free) take the ids of these lines.
3. Give every figure with its period and the day of its publication (with "about" or "by", where a line has it), a revision as old → new, odds with the day they were observed, and each item with its id.
4. End with the releases of the coming days: quantshelf://macro/calendar lists them (free).
5. If nothing is new in an area, say so in one sentence; ${onceOnline(shelf.isOffline)}\`quantshelf sync\` refreshes it.

${HOW_TO_READ}`;
    },
  };
}
