import { cardIdOfName } from '../../../core/card-id.ts';

/** `arxiv:1404.4944` or `arxiv:q-fin/0601001`, without a version. */
export function sourceIdOf(arxivId: string): string {
  return `arxiv:${arxivId}`;
}

/** The card's id for its source id. */
export function cardIdOf(sourceId: string): string {
  return cardIdOfName(sourceId);
}

/** The arXiv id in a source id. */
export function arxivIdOf(sourceId: string): string {
  return sourceId.replace(/^arxiv:/, '');
}

/** YYYY-MM of a source id: an arXiv id begins with the month of submission. */
export function monthOf(sourceId: string): string {
  const [, year = '', month = ''] = /(?:^|\/)(\d{2})(\d{2})[\d.]+$/.exec(arxivIdOf(sourceId)) ?? [];
  // arXiv began in 1991.
  return `${Number(year) > 90 ? '19' : '20'}${year}-${month}`;
}
