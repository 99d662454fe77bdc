import { createHash } from 'node:crypto';
import assetFile from '../../../data/market-assets.json' with { type: 'json' };
import tagFile from '../../../data/market-tags.json' with { type: 'json' };
import { MONTHS } from '../../core/text.ts';
import { listAssetNames } from './assets.ts';
import { byWeight, type EventCard, type MarketCard } from './normalise.ts';
import type { EventFacts } from './sources/gamma.ts';

/** Folds case, width and ligatures for comparison. */
export function foldText(text: string): string {
  // Upper case first: it expands letters without a single lower-case form (ß, ligatures).
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** The distinct words of a browse query, folded. */
export function filterWords(q: string): string[] {
  return [...new Set(foldText(q).split(/\s+/u).filter(Boolean))];
}

/** The text that the browse filter searches: title, slug, tags, questions and outcome labels, folded. */
export function haystackOf(card: EventCard): string {
  const labels = card.markets.flatMap(({ outcomes }) => outcomes.map(({ label }) => label));
  const questions = card.markets.map(({ question }) => question);
  const lines = [card.title, card.slug, ...card.tags, ...questions, ...labels];
  return [...new Set(lines.map(foldText))].join('\n');
}

/** The texts of an event by search index column. */
export function indexTexts(card: EventCard): Record<string, string> {
  const labels = card.markets.flatMap(({ groupLabel, outcomes }) => [
    groupLabel ?? '',
    ...outcomes.map(({ label }) => label),
  ]);
  return {
    title: card.title,
    description: [card.description ?? '', wordsOfDate(card.endTime)].join('\n'),
    tags: [...card.allTags, ...listAssetNames(card.assets)].join(' '),
    questions: [...new Set(card.markets.map(({ question }) => question))].join('\n'),
    labels: [...new Set(labels)].join('\n'),
  };
}

/** As a question names it: "30 June 2025". */
function wordsOfDate(time: string | null): string {
  if (time === null) return '';
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** The part of a card that `embeddingText` needs. */
export type EmbeddedCard = Pick<EventCard, 'title' | 'tags' | 'description'> & {
  markets: readonly EmbeddedMarket[];
};
export type EmbeddedMarket = Pick<
  MarketCard,
  'id' | 'groupLabel' | 'question' | 'status' | 'liquidity'
>;

/**
 * The text that is embedded for an event: title, labels or questions of its markets, tags,
 * description. The most distinctive and the most traded come first, since the model truncates at about
 * 190 words.
 */
export function embeddingText(card: EmbeddedCard): string {
  const parts = card.markets
    .toSorted(byWeight)
    .map(({ groupLabel, question }) => groupLabel ?? question);
  const own = parts.filter((part) => part !== card.title);
  return [card.title, [...new Set(own)].join(', '), card.tags.join(', '), card.description ?? '']
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Hash of the indexed text. Ignores the order of markets, which changes with every trade. */
export function hashWords(card: EventCard): string {
  const { tags, questions, labels, ...rest } = indexTexts(card);
  const lines = [questions, labels].map((column) => (column ?? '').split('\n').sort());
  const words = [card.slug, card.tags, tags, lines, Object.entries(rest)];
  return createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22);
}

/** Version of the rules that make a card from facts; raise it when they change. */
const CARD_RULES = 3;

let lists: string | undefined;

/**
 * Hash of everything a card is made from, including the tag and asset lists, so that cards are
 * rebuilt when those change.
 */
export function hashFacts(facts: EventFacts): string {
  lists ??= digest(JSON.stringify([CARD_RULES, tagFile, assetFile]));
  return digest(`${lists} ${JSON.stringify(facts)}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
