import { v5 } from 'uuid';

/** Fixed for ever: card ids of every shelf on every machine hang on it. */
const NAMESPACE = '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41';

/** `1404.4944` or `q-fin/0601001`, without a version. */
export function sourceIdOf(arxivId: string): string {
  return `arxiv:${arxivId}`;
}

/** The card's id: UUID v5 of its source id, the same on every machine. */
export function cardIdOf(sourceId: string): string {
  return v5(sourceId, NAMESPACE);
}
