import indicatorFile from '../../../data/market-indicators.json' with { type: 'json' };
import tagFile from '../../../data/market-tags.json' with { type: 'json' };
import { cleanLine, firstPoints } from '../../core/text.ts';
import { namesListedCompany } from './assets.ts';
import type { VenueEvent } from './sources/event-card.ts';

/** Slugs with one of which an event has a finance tag. */
interface Inclusion {
  tag: string;
  slugs: readonly string[];
  /** One of these tags must also be present. */
  with?: readonly string[];
  /** A listed company must be named. */
  listedCompany?: boolean;
}

const { exclude, subjects, hidden, shortWindows } = tagFile;
const { indicators, abroad, decisions } = indicatorFile;
const include: readonly Inclusion[] = tagFile.include;

/** All finance tags. */
export function listFinanceWords(): string[] {
  return [...new Set(include.map((rule) => rule.tag))];
}

/** The tag slugs that can bring an event into scope, in file order. */
export function listScopeSlugs(): string[] {
  return [...new Set(include.flatMap((rule) => rule.slugs))];
}

/** The facts that the scope rules need. */
type ScopeFacts = Pick<
  VenueEvent,
  'title' | 'slug' | 'tags' | 'financeTags' | 'recurrence' | 'markets'
>;

/** Most tags shown on a card. */
const MAX_TAGS = 20;
/** Limits on the length of a tag and the number of tags of an event. */
const MAX_TAG_CHARACTERS = 100;
const MAX_TAGS_KEPT = 100;

/** Slugs of minute-long windows end in a Unix time. */
const EPOCH_SUFFIX = /-1\d{9}$/;

/** Distinct tags in lower case. */
export function cleanTags(tags: readonly string[]): string[] {
  const cleaned = tags.map((tag) => firstPoints(cleanLine(tag).toLowerCase(), MAX_TAG_CHARACTERS));
  return [...new Set(cleaned.filter((tag) => tag !== ''))].slice(0, MAX_TAGS_KEPT);
}

/**
 * Whether an event is in scope: finance by its tags or the venue's own categories, of no excluded
 * subject, and no short up/down window.
 */
export function isFinance(event: ScopeFacts): boolean {
  const tags = cleanTags(event.tags);
  // With hyphens between the words of both.
  const title = cleanLine(event.title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
  const wording = `${cleanLine(event.slug)} ${title}`;
  const says = (phrases: readonly string[]) => phrases.some((phrase) => wording.includes(phrase));
  if (exclude.some((rule) => hasAny(tags, rule.slugs))) return false;
  if (isShortWindow(event, tags, wording) || subjects.some(({ phrases }) => says(phrases))) {
    return false;
  }
  if (event.financeTags !== null) return event.financeTags.length > 0;
  return include.some(
    (rule) =>
      applies(rule, tags) && (!rule.listedCompany || namesListedCompany(wordsOf(event), tags)),
  );
}

/** Whether an event is one of the recurring windows of minutes or hours. */
function isShortWindow(
  { slug, recurrence }: ScopeFacts,
  tags: readonly string[],
  wording: string,
): boolean {
  return (
    EPOCH_SUFFIX.test(cleanLine(slug)) ||
    hasAny(tags, shortWindows.slugs) ||
    shortWindows.phrases.some((phrase) => wording.includes(phrase)) ||
    (recurrence !== null && shortWindows.recurrences.includes(recurrence.toLowerCase()))
  );
}

/** The finance tags of an event ("macro", "crypto" …), in file order. */
export function normaliseTags(tags: readonly string[]): string[] {
  const matching = include.filter((rule) => applies(rule, tags));
  return [...new Set(matching.map((rule) => rule.tag))];
}

/** Tags of a card: distinct, finance tags first, then the venue's own. */
export function cardTags(tags: readonly string[], financeTags: readonly string[]): string[] {
  const own = tags.filter((tag) => !hidden.slugs.includes(tag));
  return [...new Set([...financeTags, ...own])].slice(0, MAX_TAGS);
}

function applies(rule: Inclusion, tags: readonly string[]): boolean {
  return hasAny(tags, rule.slugs) && (rule.with === undefined || hasAny(tags, rule.with));
}

function hasAny(tags: readonly string[], slugs: readonly string[]): boolean {
  return tags.some((tag) => slugs.includes(tag));
}

/** The indicator of our catalogue that an event is about, by the venue's series, else by its tags. */
export function indicatorOf(
  { series }: Pick<VenueEvent, 'series'>,
  tags: readonly string[],
): string | null {
  const row =
    indicators.find((each) => each.series.includes(series ?? '')) ??
    indicators.find((each) => hasAny(tags, each.tags) && !hasAny(tags, each.without));
  return row === undefined || hasAny(tags, abroad) ? null : row.indicator;
}

/** The strike of a market on what the Fed decides, such as "=-25" for a cut of 25 basis points. */
export function decisionOf(series: string | null, label: string | undefined): string | null {
  if (!decisions.series.includes(series ?? '')) return null;
  const [change] =
    Object.entries(decisions.labels).find(([, labels]) => labels.includes(label ?? '')) ?? [];
  return change === undefined ? null : `=${change}`;
}

/** Title, questions and labels of an event. */
export function wordsOf({ title, markets }: Pick<ScopeFacts, 'title' | 'markets'>): string[] {
  return [
    title,
    ...markets.flatMap(({ market_question, group_label = '' }) => [market_question, group_label]),
  ];
}
