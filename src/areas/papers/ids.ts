import { cardIdOfName } from '../../core/card-id.ts';

/** `arxiv:1404.4944` or `arxiv:q-fin/0601001`, without a version. */
export function sourceIdOf(arxivId: string): string {
  return `arxiv:${arxivId}`;
}

/** The card's id for its source id. */
export function cardIdOf(sourceId: string): string {
  return cardIdOfName(sourceId);
}
