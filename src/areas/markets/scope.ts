import indicatorFile from '../../../data/market-indicators.json' with { type: 'json' };
import tagFile from '../../../data/market-tags.json' with { type: 'json' };
import { cleanLine, firstPoints } from '../../core/text.ts';
import { findAssets } from './assets.ts';
import type { VenueEvent } from './sources/event-card.ts';

/** A finance tag and the slugs that qualify an event for it. */
interface Inclusion {
  tag: string;
  slugs: readonly string[];
  /** One of these tags must also be present. */
  with?: readonly string[];
  /** A listed company must also be named. */
  listedCompany?: boolean;
  /** The title or slug must contain one of these. */
  phrases?: readonly string[];
}

const { exclude, subjects, hidden, shortWindows } = tagFile;
const { indicators, abroad, decisions } = indicatorFile;
const include: readonly Inclusion[] = tagFile.include;

/** The tags that can bring an event into scope, in file order. */
export function listScopeSlugs(): string[] {
  return [...new Set(include.flatMap((rule) => rule.slugs))];
}

export interface Classification {
  isFinance: boolean;
  /** Tags shown on the card: distinct, finance tags first, then the venue's own. */
  tags: readonly string[];
  /** All tags by which the event is found. */
  allTags: readonly string[];
  assets: readonly string[];
  /** Related macro indicator, by the venue's series or, failing that, by the tags. */
  indicator: string | null;
}

/** Maximum number of tags shown on a card. */
const MAX_TAGS = 20;
/** Maximum length of a tag, in code points. */
const MAX_TAG_CHARACTERS = 100;
const MAX_TAGS_KEPT = 100;

/** How much of a title, question or label is searched for assets, in UTF-16 units. */
const MAX_TEXT = 500;

/** A Unix time at the end of a slug marks an event that lasts a few minutes. */
const EPOCH_SUFFIX = /-1\d{9}$/;

/** Classifies an event, whose texts may be raw. */
export function classify(event: VenueEvent): Classification {
  const own = cleanTags(event.tags);
  const words = event.markets.flatMap(({ market_question, group_label = '' }) => [
    market_question,
    group_label,
  ]);
  // Longer texts are cut when stored; matching them in full could take seconds.
  const texts = [event.title, ...words].map((text) => text.slice(0, MAX_TEXT));
  const assets = findAssets(texts, own);
  const wording = wordingOf(event);
  const namesCompany = assets.some(({ kind }) => kind === 'listed');
  const rules = include.filter(
    (rule) => hasAny(own, rule.slugs) && (rule.with === undefined || hasAny(own, rule.with)),
  );
  const financeTags = [...new Set([...(event.financeTags ?? []), ...rules.map(({ tag }) => tag)])];
  const hasFinanceTag =
    event.financeTags === null
      ? rules.some(
          ({ listedCompany, phrases }) =>
            (!listedCompany || namesCompany) && (phrases === undefined || says(wording, phrases)),
        )
      : event.financeTags.length > 0;
  const shown = own.filter((tag) => !hidden.slugs.includes(tag));
  const isMet = (need: string | undefined) => need === undefined || financeTags.includes(need);
  return {
    isFinance: hasFinanceTag && !isExcluded(event, own, wording),
    tags: [...new Set([...financeTags, ...shown])].slice(0, MAX_TAGS),
    allTags: [...new Set([...financeTags, ...own])],
    // "DOGE" is a coin if tagged crypto, otherwise a government office.
    assets: assets.flatMap(({ asset, needs }) => (isMet(needs) ? asset : [])),
    indicator: indicatorOf(event, own),
  };
}

function cleanTags(tags: readonly string[]): string[] {
  const cleaned = tags.map((tag) => firstPoints(cleanLine(tag).toLowerCase(), MAX_TAG_CHARACTERS));
  return [...new Set(cleaned.filter((tag) => tag !== ''))].slice(0, MAX_TAGS_KEPT);
}

/** Slug and title, both with hyphens between words. */
function wordingOf({ slug, title }: VenueEvent): string {
  const words = cleanLine(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
  return `${cleanLine(slug)} ${words}`;
}

function says(wording: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => wording.includes(phrase));
}

/** Whether an event is out of scope despite its finance tags. */
function isExcluded(
  { slug, recurrence }: VenueEvent,
  tags: readonly string[],
  wording: string,
): boolean {
  return (
    exclude.some(({ slugs }) => hasAny(tags, slugs)) ||
    subjects.some(({ phrases }) => says(wording, phrases)) ||
    // The remaining conditions match events that last only minutes or hours.
    EPOCH_SUFFIX.test(cleanLine(slug)) ||
    hasAny(tags, shortWindows.slugs) ||
    says(wording, shortWindows.phrases) ||
    (recurrence !== null && shortWindows.recurrences.includes(recurrence.toLowerCase()))
  );
}

function hasAny(tags: readonly string[], slugs: readonly string[]): boolean {
  return tags.some((tag) => slugs.includes(tag));
}

function indicatorOf({ series }: VenueEvent, tags: readonly string[]): string | null {
  const row =
    indicators.find((each) => each.series.includes(series ?? '')) ??
    indicators.find((each) => hasAny(tags, each.tags) && !hasAny(tags, each.without));
  return row === undefined || hasAny(tags, abroad) ? null : row.indicator;
}

/** The strike of a market on a Fed decision, such as "=-25" for a cut of 25 basis points. */
export function decisionOf(series: string | null, label: string | undefined): string | null {
  if (!decisions.series.includes(series ?? '')) return null;
  const [change] =
    Object.entries(decisions.labels).find(([, labels]) => labels.includes(label ?? '')) ?? [];
  return change === undefined ? null : `=${change}`;
}
