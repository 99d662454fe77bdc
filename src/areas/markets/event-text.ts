import { createHash } from 'node:crypto';
import assetFile from '../../../data/market-assets.json' with { type: 'json' };
import indicatorFile from '../../../data/market-indicators.json' with { type: 'json' };
import tagFile from '../../../data/market-tags.json' with { type: 'json' };
import { foldCase, MONTHS } from '../../core/text.ts';
import { listAssetNames } from './assets.ts';
import { byWeight, type Market, type MarketEvent } from './event.ts';
import type { VenueEvent } from './sources/venue.ts';

/** The text that the browse filter searches: title, slug, tags, questions and outcome labels, folded. */
export function haystackOf(event: MarketEvent): string {
  const labels = event.markets.flatMap(({ outcomes }) => outcomes.map(({ label }) => label));
  const questions = event.markets.map(({ question }) => question);
  const lines = [event.title, event.slug, ...event.tags, ...questions, ...labels];
  return [...new Set(lines.map(foldCase))].join('\n');
}

/** The texts of an event by search index column. The order of markets, which trades change, is no part of them. */
export function indexTexts(event: MarketEvent): Record<string, string> {
  const questions = event.markets.map(({ question }) => question);
  const labels = event.markets.flatMap(({ groupLabel, outcomes }) => [
    groupLabel ?? '',
    ...outcomes.map(({ label }) => label),
  ]);
  return {
    title: event.title,
    description: [event.description ?? '', wordsOfDate(event.endTime)].join('\n'),
    tags: [...event.allTags, ...listAssetNames(event.assets)].join(' '),
    questions: [...new Set(questions)].sort().join('\n'),
    labels: [...new Set(labels)].sort().join('\n'),
  };
}

/** As a question names it: "30 June 2025". */
function wordsOfDate(time: string | null): string {
  if (time === null) return '';
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** The part of an event that `embeddingText` needs. */
export type EmbeddedEvent = Pick<MarketEvent, 'title' | 'tags' | 'description'> & {
  markets: readonly Pick<Market, 'id' | 'groupLabel' | 'question' | 'status' | 'liquidity'>[];
};

/**
 * The text that is embedded for an event: title, labels or questions of its markets, tags,
 * description. The most distinctive and the most traded come first, since the model truncates at about
 * 190 words.
 */
export function embeddingText(event: EmbeddedEvent): string {
  const parts = event.markets
    .toSorted(byWeight)
    .map(({ groupLabel, question }) => groupLabel ?? question);
  const own = parts.filter((part) => part !== event.title);
  return [event.title, [...new Set(own)].join(', '), event.tags.join(', '), event.description ?? '']
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Hash of all text that is indexed or embedded. */
export function hashWords(event: MarketEvent): string {
  return digest([event.slug, event.tags, indexTexts(event)]);
}

/** Version of the rules that make a stored event; raise it when they change. */
const EVENT_RULES = 1;

let rulesHash: string | undefined;

/**
 * Hash of everything that a stored event is made from, including the tag and asset lists, so that events
 * are rebuilt when those change.
 */
export function hashFacts(event: VenueEvent): string {
  rulesHash ??= digest([EVENT_RULES, tagFile, assetFile, indicatorFile]);
  return digest([rulesHash, event]);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
