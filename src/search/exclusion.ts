import type { Database } from 'better-sqlite3';
import { matchTerms, type SearchColumns, type TermQuery } from './terms.ts';
import { isStopWord } from './tokenise.ts';
import { cosinesOf } from './vectors.ts';

/** What a card loses for an excluded subject: by its share of BM25, of its title, and its cosine. */
const WEIGHTS = { bm25: 0.1, title: 0.1, cosine: 0.15 } as const;

const SUBJECT = '(?<subject>[^.;:?!()\\n]{2,80}?)';
/** A negated verb is part of a claim, which is the subject itself: only these exclude. */
const EXCLUSION = new RegExp(
  `[\\s,(]*\\b(?:(?:but |and )?not (?:about|on|regarding|related to)|excluding|other than|except(?: for)?) ${SUBJECT}(?=\\s*(?:[.;:?!()\\n]|,? but\\b|$))`,
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
    .trim();
  const isLeft = text.split(/[^\p{L}\p{N}]+/u).some((word) => word !== '' && !isStopWord(word));
  return subjects.length === 0 || !isLeft
    ? { text: question, excluded: null }
    : { text, excluded: subjects.join(', ') };
}

/** What a query excludes. */
export interface Excluded {
  terms: TermQuery['terms'];
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
  { excluded, terms: subject }: TermQuery & { excluded?: Excluded | undefined },
  embedded?: { vectors: ReadonlyMap<number, Int8Array>; vector: Float64Array },
): Map<number, number> {
  const penalties = new Map<number, number>();
  if (excluded === undefined) return penalties;
  const shared = new Set(subject.map(({ term }) => term));
  const own = excluded.terms.filter(({ term }) => !shared.has(term));
  const query = { terms: own.length > 0 ? own : excluded.terms };
  const titles = {
    ...columns,
    columns: Object.fromEntries(Object.entries(columns.columns).slice(0, 1)),
  };
  const inTitles = new Map(matchTerms(db, titles, ids, query).map((match) => [match.id, match]));
  for (const { id, bm25 } of matchTerms(db, columns, ids, query)) {
    const inTitle = inTitles.get(id)?.coverage ?? 0;
    penalties.set(id, WEIGHTS.bm25 * bm25 + WEIGHTS.title * inTitle);
  }
  if (embedded === undefined || excluded.vector === null) return penalties;
  const away = orthogonalTo(embedded.vector, excluded.vector);
  for (const [id, stored] of embedded.vectors) {
    const [cosine = 0] = cosinesOf(stored, away);
    penalties.set(id, WEIGHTS.cosine * Math.max(0, cosine) + (penalties.get(id) ?? 0));
  }
  return penalties;
}

/** The part of a unit vector that is orthogonal to another, scaled to length 1. */
function orthogonalTo(other: Float64Array, vector: Float32Array): Float64Array {
  const product = vector.reduce((sum, one, at) => sum + one * (other[at] ?? 0), 0);
  const length = Math.sqrt(Math.max(1e-6, 1 - product * product));
  return Float64Array.from(vector, (one, at) => (one - product * (other[at] ?? 0)) / length);
}
