import type { Database } from 'better-sqlite3';
import type { SearchIndex } from './index.ts';
import { matchTerms, type TermQuery } from './lexical/terms.ts';
import { dotProducts } from './vectors/int8.ts';
import { RANKING } from './weights.ts';

/** What a query excludes. */
export interface Excluded {
  /** Each subject, with its other names. */
  subjects: readonly Pick<TermQuery, 'terms' | 'synonyms'>[];
  /** Embedding of all of them; null in lexical-only search. */
  vector: Float32Array | null;
}

/**
 * What a card loses for being about what the query excludes, the most of several subjects; empty if it
 * excludes nothing. Terms and direction that the wanted subject has, too, tell nothing.
 */
export function penaltiesOf(
  db: Database,
  index: SearchIndex,
  ids: readonly number[],
  { excluded, totals, terms: wanted }: TermQuery & { excluded?: Excluded | undefined },
  embedded?: { vectors: ReadonlyMap<number, Buffer>; asked: Float64Array },
): Map<number, number> {
  const penalties = new Map<number, number>();
  if (excluded === undefined) return penalties;
  const { name, columns } = index;
  const title = Object.fromEntries(Object.entries(columns).slice(0, 1));
  const known = new Set(wanted.map(({ term }) => term));
  for (const { terms, synonyms } of excluded.subjects) {
    const own = terms.filter(({ term }) => !known.has(term));
    const query = { terms: own.length > 0 ? own : terms, totals, ...(synonyms && { synonyms }) };
    const titles = matchTerms(db, { name, columns: title }, ids, query);
    for (const [at, { id, bm25 }] of matchTerms(db, index, ids, query).entries()) {
      const inTitle = titles[at]?.idfCoverage ?? 0;
      const loss = RANKING.excludedBm25 * bm25 + RANKING.excludedTitle * inTitle;
      penalties.set(id, Math.max(loss, penalties.get(id) ?? 0));
    }
  }
  if (embedded === undefined || excluded.vector === null) return penalties;
  const unwanted = orthogonalTo(embedded.asked, excluded.vector);
  for (const [id, packed] of embedded.vectors) {
    const cosine = dotProducts(packed, unwanted)[0] ?? 0;
    penalties.set(id, RANKING.excludedCosine * Math.max(0, cosine) + (penalties.get(id) ?? 0));
  }
  return penalties;
}

/** The part of a unit vector that is orthogonal to another, scaled to length 1. */
function orthogonalTo(other: Float64Array, vector: Float32Array): Float64Array {
  const product = vector.reduce((sum, one, at) => sum + one * (other[at] ?? 0), 0);
  const length = Math.sqrt(Math.max(1e-6, 1 - product * product));
  return Float64Array.from(vector, (one, at) => (one - product * (other[at] ?? 0)) / length);
}
