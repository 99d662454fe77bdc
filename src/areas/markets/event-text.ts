import { createHash } from 'node:crypto';
import { foldCase, MONTHS } from '../../core/text.ts';
import { listAssetNames } from './assets.ts';
import { byWeight, type MarketEvent } from './event.ts';
import type { StoredEvent } from './sources/event-card.ts';

/** The text that the browse filter searches: title, slug, tags, questions and outcome labels, folded. */
export function haystackOf({ title, slug, tags, markets }: StoredEvent): string {
  const labels = markets.flatMap(({ outcomes }) => outcomes.map(({ label }) => label));
  const questions = markets.map(({ market_question }) => market_question);
  return [...new Set([title, slug, ...tags, ...questions, ...labels].map(foldCase))].join('\n');
}

/** The texts of an event by search index column. The order of markets, which trades change, is no part of them. */
export function indexTexts({ card, allTags, assets }: MarketEvent): Record<string, string> {
  const questions = card.markets.map(({ market_question }) => market_question);
  const labels = card.markets.flatMap(({ group_label = '', outcomes }) => [
    group_label,
    ...outcomes.map(({ label }) => label),
  ]);
  return {
    title: card.title,
    description: [card.description ?? '', wordsOfDate(card.end_time)].join('\n'),
    tags: [...allTags, ...listAssetNames(assets)].join(' '),
    questions: [...new Set(questions)].sort().join('\n'),
    labels: [...new Set(labels)].sort().join('\n'),
  };
}

/** As a question names it: "30 June 2025". */
function wordsOfDate(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/**
 * The text that is embedded for an event: title, labels or questions of its markets, tags,
 * description. The most distinctive and the most traded come first, since the model truncates at about
 * 190 words.
 */
export function embeddingText(event: StoredEvent): string {
  const parts = event.markets
    .toSorted(byWeight)
    .map(({ group_label, market_question }) => group_label ?? market_question);
  const own = parts.filter((part) => part !== event.title);
  return [event.title, [...new Set(own)].join(', '), event.tags.join(', '), event.description ?? '']
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Hash of all text that is indexed or embedded. */
export function hashWords(event: MarketEvent): string {
  const words = JSON.stringify([event.card.slug, event.card.tags, indexTexts(event)]);
  return createHash('sha256').update(words).digest('base64url').slice(0, 22);
}
