import { plainTex } from './latex.ts';

/**
 * What the vectors of a paper are made from: title, abstract, summary and tags.
 * A summary that the abstract already contains is not said twice.
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

/** What the vector of one section is made from; the paper's title gives it its subject. */
export function sectionText(paperTitle: string, sectionTitle: string, content: string): string {
  return joinSentences([paperTitle, sectionTitle, content]);
}

function joinSentences(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** The same without TeX, for a card whose words come from an upstream. */
export function plainCardText(card: Parameters<typeof cardText>[0]): string {
  const { title, abstract, summary, tags } = card;
  return cardText({
    title: plainTex(title),
    abstract: plainTex(abstract),
    summary: plainTex(summary),
    tags,
  });
}
