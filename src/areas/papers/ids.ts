import { cardIdOfName } from '../../core/card-id.ts';

/** `arxiv:1404.4944` or `arxiv:q-fin/0601001`, without a version. */
export function sourceIdOf(arxivId: string): string {
  return `arxiv:${arxivId}`;
}

/** The card's id for its source id. */
export function cardIdOf(sourceId: string): string {
  return cardIdOfName(sourceId);
}

/** The upstream's own id of a source id. */
export function arxivIdOf(sourceId: string): string {
  return sourceId.replace(/^arxiv:/, '');
}
