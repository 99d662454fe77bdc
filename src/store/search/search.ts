import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { Filter, Preference } from './filter.ts';
import type { SearchIndex } from './index.ts';
import { findByTerms } from './lexical/fts.ts';
import { addSynonyms } from './lexical/synonyms.ts';
import { readTotals, weightTerms } from './lexical/terms.ts';
import { queryTerms } from './lexical/tokenise.ts';
import { findPreferred } from './preferred.ts';
import { amountsIn } from './query/amounts.ts';
import { detailsOf, foreignStems, namedIn, oppositesOf } from './query/details.ts';
import { Names } from './query/names.ts';
import { withoutRelativeDates } from './query/relative-dates.ts';
import { specificsOf } from './query/specifics.ts';
import { type Ranking, rankByTerms, rankHybrid } from './ranking.ts';
import { assertUnit } from './vectors/float32.ts';
import { findNearest } from './vectors/nearest.ts';
import { readSample } from './vectors/sample.ts';

/** "us" in lower case is the pronoun, save where none can stand. */
const COUNTRY = /(?<=^|\b(?:the|will|does|is) )us\b/g;
/**
 * Candidates per retriever, and postings that FTS5 may score. In hybrid search twice as many postings
 * find nothing better among 30,000 cards, since the vectors find what the words miss.
 */
const HYBRID = { candidates: 60, postings: 1_000 };
const LEXICAL = { candidates: 100, postings: 2_000 };
const NO_NAMES = new Names({});
/** Excluded subjects that are compared with the cards. */
const MAX_EXCLUDED = 8;
/** Between several. */
const SEVERAL = /,|\b(?:and|or|nor)\b/u;
/** What a synonym counts of a term of the question, in lexical-only search of prose. */
const SYNONYM = 0.8;

export interface SearchQuery {
  text: string;
  /** Embedding of the text, a unit vector; null for lexical-only search. */
  vector: Float32Array | null;
  /** How near it is to questions of the field, see `Evidence`; 0 if left out. */
  fieldScore?: number;
  limit: number;
  filter?: Filter;
  preferences?: readonly Preference[];
  /** Years and months that the text names relative to today, as words. */
  dates?: string;
  /** What counts against a card, with its embedding. */
  excluded?: { text: string; vector: Float32Array | null };
}

/**
 * The best cards for a query, best first; ties go to the smaller id. Throws when the vector is not a
 * unit vector. A vector needs the SQLite extension: see `vectors/extension.ts`.
 */
export async function search(
  db: Database,
  index: SearchIndex,
  {
    text: asked,
    vector,
    fieldScore = 0,
    limit,
    filter,
    excluded,
    preferences = [],
    dates = '',
  }: SearchQuery,
): Promise<Ranking> {
  if (vector !== null) assertUnit(vector);
  const { name, isProse = false, names = NO_NAMES } = index;
  const text = asked.replace(COUNTRY, 'US');
  const totals = readTotals(db, index);
  const synonyms = [...(index.synonyms?.match(text) ?? []), ...(isProse ? [] : amountsIn(text))];
  const terms = weightTerms(
    db,
    name,
    addSynonyms(queryTerms(isProse ? text : withoutRelativeDates(text)), synonyms),
    totals,
    isProse && vector === null ? SYNONYM : 1,
  );
  const query = {
    totals,
    ...(isProse
      ? { terms, details: specificsOf(text, names) }
      : {
          // A card has what a name asks for under another name, too.
          terms: terms.filter(({ isSynonym }) => !isSynonym),
          synonyms,
          details: detailsOf(`${text} ${dates}`),
          named: namedIn(text, names),
          foreign: foreignStems(
            `${text} ${dates}`,
            names,
            synonyms.flatMap(({ others }) => others.flat()),
          ),
          opposites: oppositesOf(text, names),
        }),
    limit,
    excluded: excluded && {
      subjects: excluded.text.split(SEVERAL, MAX_EXCLUDED).map((subject) => ({
        terms: weightTerms(db, name, queryTerms(subject), totals),
        synonyms: index.synonyms?.match(subject) ?? [],
      })),
      vector: excluded.vector,
    },
  };
  const weights = Object.values(index.columns);
  const { candidates: depth, postings } = vector === null ? LEXICAL : HYBRID;
  // What is preferred may be far from the best of all.
  const filters = [filter, ...preferences.map((preference) => preference.filter)];
  const found = filters.flatMap((one) =>
    findByTerms(db, {
      name,
      weights,
      terms,
      filter: one,
      limit: depth,
      cards: totals.cards,
      postings,
    }),
  );
  // Each step takes some milliseconds at 30,000 cards.
  await yieldToEventLoop();
  if (vector === null) {
    const candidates = [...new Set(found)];
    const preferred = findPreferred(db, candidates, preferences);
    return rankByTerms(db, index, candidates, { ...query, ...preferred });
  }
  const sample = readSample(db, name, vector, totals.cards);
  const nearest = filters.flatMap((one) =>
    findNearest(db, name, vector, { limit: depth, sample, filter: one }),
  );
  await yieldToEventLoop();
  const candidates = [...new Set([...nearest, ...found])];
  const preferred = findPreferred(db, candidates, preferences);
  const { backgroundCosine } = sample;
  const evidence = { backgroundCosine, fieldScore };
  return rankHybrid(db, index, candidates, { ...query, ...preferred, vector, ...evidence });
}
