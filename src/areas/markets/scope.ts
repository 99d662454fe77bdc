import * as z from 'zod';
import tagFile from '../../../data/market-tags.json' with { type: 'json' };
import { cleanLine } from '../../core/text.ts';
import { namesListedCompany } from './assets.ts';
import type { EventFacts } from './sources/gamma.ts';

const slugs = z.array(z.string()).min(1);
const inclusion = z.strictObject({
  tag: z.string(),
  slugs,
  /** One of these tags must also be present. */
  with: slugs.optional(),
  listedCompany: z.literal(true).optional(),
  reason: z.string(),
});
const tagRules = z.strictObject({
  include: z.array(inclusion),
  exclude: z.array(z.strictObject({ slugs, reason: z.string() })),
  /** Parts of a title or a slug. */
  subjects: z.array(z.strictObject({ phrases: slugs, reason: z.string() })),
  hidden: z.strictObject({ slugs, reason: z.string() }),
  shortWindows: z.strictObject({
    slugs,
    phrases: slugs,
    recurrences: slugs,
    epochSuffix: z.literal(true),
    reason: z.string(),
  }),
});
type Inclusion = z.output<typeof inclusion>;

let rules: (z.output<typeof tagRules> & { excluded: ReadonlySet<string> }) | undefined;

/** Parsed on first use, to keep start-up fast. */
function readRules(): NonNullable<typeof rules> {
  if (rules === undefined) {
    const parsed = tagRules.parse(tagFile);
    rules = { ...parsed, excluded: new Set(parsed.exclude.flatMap((rule) => rule.slugs)) };
  }
  return rules;
}

/** All finance tags. */
export function listFinanceWords(): string[] {
  return [...new Set(readRules().include.map((rule) => rule.tag))];
}

/** All tag slugs in the scope rules, in file order. */
export function listRuleSlugs(): string[] {
  const { include, exclude, shortWindows } = readRules();
  return [...new Set([...include, ...exclude, shortWindows].flatMap((rule) => rule.slugs))];
}

/** The tag slugs that can bring an event into scope, in file order. */
export function listScopeSlugs(): string[] {
  return [...new Set(readRules().include.flatMap((rule) => rule.slugs))];
}

/** The facts that the scope rules need. */
export type ScopeFacts = Pick<EventFacts, 'title' | 'slug' | 'tags' | 'recurrence'> & {
  markets: readonly { question: string; groupLabel: string | null }[];
};

/** Most tags shown on a card. */
const MAX_TAGS = 20;
/** Slugs of minute-long windows end in a Unix time. */
const EPOCH_SUFFIX = /-1\d{9}$/;

/** "Up or down" over a month, a quarter or a year is no coin toss; a day or an hour comes before it. */
const LONG_WINDOW =
  /^(?!.*-\d{1,2}(?:-?\d\d)?-?[ap]m(?:-|$)).*-(?:in|of|for|during)-(?:(?:q[1-4]|[a-z]{3,9})-)?20\d\d(?:-|$)/;

/** Limits on the length of a tag and the number of tags of an event. */
const MAX_TAG_CHARACTERS = 100;
const MAX_TAGS_KEPT = 100;

/**
 * Distinct tags in lower case without invisible characters, so that a tag that reads "sports" is
 * treated as such.
 */
export function cleanTags(tags: readonly string[]): string[] {
  const cleaned = tags.map((tag) =>
    cleanLine(tag.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ''))
      .toLowerCase()
      .slice(0, MAX_TAG_CHARACTERS),
  );
  return [...new Set(cleaned.filter((tag) => tag !== ''))].slice(0, MAX_TAGS_KEPT);
}

/** Whether an event is in scope: finance by its tags, of no excluded subject, and no short up/down window. */
export function isFinance(given: ScopeFacts): boolean {
  const { include, excluded, subjects } = readRules();
  const event = { ...given, tags: cleanTags(given.tags) };
  const wording = wordingOf(event);
  if (event.tags.some((slug) => excluded.has(slug)) || isShortWindow(event, wording)) return false;
  if (subjects.some(({ phrases }) => phrases.some((phrase) => wording.includes(phrase)))) {
    return false;
  }
  return include.some((rule) => admits(rule, event));
}

/** Whether an event (with cleaned tags) is one of the recurring windows of minutes or hours. */
function isShortWindow(event: ScopeFacts, wording: string): boolean {
  const rule = readRules().shortWindows;
  return (
    EPOCH_SUFFIX.test(cleanLine(event.slug)) ||
    event.tags.some((tag) => rule.slugs.includes(tag)) ||
    (rule.phrases.some((phrase) => wording.includes(phrase)) && !LONG_WINDOW.test(wording)) ||
    (event.recurrence !== null && rule.recurrences.includes(event.recurrence.toLowerCase()))
  );
}

/** Slug and title, with hyphens between the words of both. */
function wordingOf({ slug, title }: ScopeFacts): string {
  const words = cleanLine(title).toLowerCase();
  return `${cleanLine(slug)} ${words.replace(/[^\p{L}\p{N}]+/gu, '-')}`;
}

/** The finance tags of an event ("macro", "crypto" …), in file order. */
export function normaliseTags(tags: readonly string[]): string[] {
  const rules = readRules().include.filter((rule) => applies(rule, tags));
  return [...new Set(rules.map((rule) => rule.tag))];
}

/** Tags of a card: distinct, finance tags first, then the source's own. */
export function cardTags(tags: readonly string[]): string[] {
  const { hidden } = readRules();
  const own = tags.filter((tag) => !hidden.slugs.includes(tag));
  return [...new Set([...normaliseTags(tags), ...own])].slice(0, MAX_TAGS);
}

function applies(rule: Inclusion, tags: readonly string[]): boolean {
  return (
    tags.some((slug) => rule.slugs.includes(slug)) &&
    (rule.with === undefined || tags.some((slug) => rule.with?.includes(slug)))
  );
}

function admits(rule: Inclusion, event: ScopeFacts): boolean {
  if (!applies(rule, event.tags)) return false;
  return rule.listedCompany === undefined || namesListedCompany(wordsOf(event), event.tags);
}

/** Title, questions and labels of an event. */
export function wordsOf(event: ScopeFacts): string[] {
  const labels = event.markets.flatMap(({ question, groupLabel }) => [question, groupLabel ?? '']);
  return [event.title, ...labels];
}
