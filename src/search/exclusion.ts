import type { Database } from 'better-sqlite3';
import { hasSubject } from './query.ts';
import { matchTerms, type SearchColumns, type TermQuery } from './terms.ts';
import { cosinesOf } from './vectors.ts';

/** What a card loses for an excluded subject: by its share of BM25, and its cosine. */
const WEIGHTS = { bm25: 0.2, cosine: 0.15 } as const;

/** Where an excluded subject ends: at a relative pronoun, a preposition or a mark. */
const END =
  '(?=\\s*(?:[.,;:!?()\\n]|$|\\b(?:that|which|who|whose|whom|where|when|but|about|after|against|among|as|at|before|between|by|during|for|from|in|into|of|on|over|since|through|to|under|until|using|via|with|within|without)\\b))';
/** Other negations are claims, which are the subject itself. */
const EXCLUSION = new RegExp(
  `[\\s,(]*\\b(?:(?:but |and )?not about|excluding) (?<subject>[^.,;:!?()\\n]{2,80}?)${END}`,
  'giu',
);

/** A question without what it says that it is not about, and that; null for nothing. */
export function splitExclusion(question: string): { text: string; excluded: string | null } {
  const subjects: string[] = [];
  const text = question
    .replace(EXCLUSION, (...match) => {
      const { subject }: { subject: string } = match.at(-1);
      subjects.push(subject.trim());
      return ' ';
    })
    .replace(/ {2,}/gu, ' ')
    .trim();
  return subjects.length === 0 || !hasSubject(text)
    ? { text: question, excluded: null }
    : { text, excluded: subjects.join(', ') };
}

/** What a query excludes. */
export interface Excluded extends Pick<TermQuery, 'terms' | 'synonyms'> {
  /** Null in lexical-only search. */
  vector: Float32Array | null;
}

/**
 * What a card loses for being about what the query excludes; empty if it excludes nothing. Terms and
 * direction that the subject has, too, tell nothing.
 */
export function penaltiesOf(
  db: Database,
  columns: SearchColumns,
  ids: readonly number[],
  query: TermQuery & { vector: Float32Array | null; excluded?: Excluded | undefined },
  vectors: ReadonlyMap<number, Int8Array>,
): Map<number, number> {
  const { excluded, vector, terms: subject } = query;
  if (excluded === undefined) return new Map();
  const shared = new Set(subject.map(({ term }) => term));
  const own = excluded.terms.filter(({ term }) => !shared.has(term));
  const terms = own.length > 0 ? own : excluded.terms;
  const matches = matchTerms(db, columns, ids, { ...excluded, terms });
  const away =
    vector === null || excluded.vector === null ? null : orthogonalTo(vector, excluded.vector);
  return new Map(
    matches.map(({ id, bm25 }) => {
      const stored = vectors.get(id);
      const [cosine = 0] = stored === undefined || away === null ? [] : cosinesOf(stored, away);
      return [id, WEIGHTS.bm25 * bm25 + WEIGHTS.cosine * Math.max(0, cosine)];
    }),
  );
}

/** The part of a unit vector that is orthogonal to another, scaled to length 1. */
function orthogonalTo(other: Float32Array, vector: Float32Array): Float64Array {
  const product = vector.reduce((sum, one, at) => sum + one * (other[at] ?? 0), 0);
  const length = Math.sqrt(Math.max(1e-6, 1 - product * product));
  return Float64Array.from(vector, (one, at) => (one - product * (other[at] ?? 0)) / length);
}
