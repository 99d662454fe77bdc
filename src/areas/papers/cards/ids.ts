import { cardIdOfName } from '../../../core/card-id.ts';
import { isArxivId, splitVersion } from '../arxiv/ids.ts';

/** `arxiv:1404.4944` or `arxiv:q-fin/0601001`, without a version. */
export function sourceIdOf(arxivId: string): string {
  return `arxiv:${arxivId}`;
}

/** The card's id for its source id. */
export function cardIdOf(sourceId: string): string {
  return cardIdOfName(sourceId);
}

/** What a caller means by an id: a card's own, a source id, or arXiv's; a version apart from it. */
export function readPaperId(given: string): { cardId: string; version: number | null } {
  const id = given.trim().toLowerCase();
  const plain = id.replace(/^arxiv:\s*/, '');
  const versioned = splitVersion(plain);
  const arxivId = versioned?.id ?? plain;
  const cardId = isArxivId(arxivId) ? cardIdOf(sourceIdOf(arxivId)) : id;
  return { cardId, version: versioned?.version ?? null };
}

/** The upstream's own id of a source id. */
export function arxivIdOf(sourceId: string): string {
  return sourceId.replace(/^arxiv:/, '');
}

/** YYYY-MM of a source id: arXiv's ids begin with the month in which the paper came in. */
export function monthOf(sourceId: string): string {
  const [, year = '', month = ''] = /(?:^|\/)(\d{2})(\d{2})[\d.]+$/.exec(arxivIdOf(sourceId)) ?? [];
  // The first ids are of 1991.
  return `${Number(year) > 90 ? '19' : '20'}${year}-${month}`;
}
