import { plainTex } from './latex.ts';

/** Begins the abstract of a starter card, which is ours. */
export const DIGEST_MARK = 'Digest of the abstract by QuantShelf: ';

/**
 * The text that a paper's vector is computed from: title, abstract, summary and tags. A summary that
 * the abstract contains is left out.
 */
export function cardText(card: {
  title: string;
  abstract: string;
  summary: string;
  tags: readonly string[];
}): string {
  const summary = card.abstract.includes(card.summary) ? '' : card.summary;
  return joinSentences([card.title, card.abstract, summary, card.tags.join(', ')]);
}

/** The text that a section's vector is computed from; the paper's title supplies the subject. */
export function sectionText(paperTitle: string, sectionTitle: string, content: string): string {
  return joinSentences([paperTitle, sectionTitle, content]);
}

function joinSentences(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** The same without TeX, for a card whose text comes from an upstream. */
export function plainCardText(card: Parameters<typeof cardText>[0]): string {
  const { title, abstract, summary, tags } = card;
  return cardText({
    title: plainTex(title),
    abstract: plainTex(abstract),
    summary: plainTex(summary),
    tags,
  });
}
