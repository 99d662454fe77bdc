import { createHash } from 'node:crypto';
import { listAssetNames } from '../scope/assets.ts';
import type { EventCard, MarketCard } from './normalise.ts';

/** Without regard to case, width and ligatures, so that equal words become equal strings. */
export function foldText(text: string): string {
  // Upper case first: it spells out what has no single lower-case letter (ß, ligatures).
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** The words of a caller's lexical filter, folded, each once. */
export function filterWords(q: string): string[] {
  return [...new Set(foldText(q).split(/\s+/u).filter(Boolean))];
}

/** Where the lexical filter looks: title, slug, tags, questions and outcome labels, folded. */
export function haystackOf(card: EventCard): string {
  const labels = card.markets.flatMap(({ outcomes }) => outcomes.map(({ label }) => label));
  const questions = card.markets.map(({ question }) => question);
  const lines = [card.title, card.slug, ...card.tags, ...questions, ...labels];
  return [...new Set(lines.map(foldText))].join('\n');
}

/** The columns of the search index. */
export function indexTexts(card: EventCard): Record<string, string> {
  const labels = card.markets.flatMap(({ groupLabel, outcomes }) => [
    groupLabel ?? '',
    ...outcomes.map(({ label }) => label),
  ]);
  return {
    title: card.title,
    description: card.description ?? '',
    tags: [...card.allTags, ...listAssetNames(card.assets)].join(' '),
    questions: [...new Set(card.markets.map(({ question }) => question))].join('\n'),
    labels: [...new Set(labels)].join('\n'),
  };
}

/** What `embeddingText` looks at. */
export type EmbeddedCard = Pick<EventCard, 'title' | 'tags' | 'description'> & {
  markets: readonly Pick<MarketCard, 'groupLabel' | 'question'>[];
};

/**
 * What the vector of an event is made from. What sets it apart comes first, for the model reads
 * about 190 words: title, labels or questions of its markets, tags, description.
 */
export function embeddingText(card: EmbeddedCard): string {
  const parts = card.markets.map(({ groupLabel, question }) => groupLabel ?? question);
  const own = parts.filter((part) => part !== card.title);
  return [card.title, [...new Set(own)].join(', '), card.tags.join(', '), card.description ?? '']
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/**
 * Equal for cards that are found by the same words. Markets change their places on a card with
 * every trade, so that their order does not count.
 */
export function hashWords(card: EventCard): string {
  const { tags, questions, labels, ...rest } = indexTexts(card);
  const lines = [questions, labels].map((column) => (column ?? '').split('\n').sort());
  const words = [card.slug, card.tags, tags, lines, Object.entries(rest)];
  return createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22);
}
