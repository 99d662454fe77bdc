import type { Database } from 'better-sqlite3';
import { assertUnit } from '../vectors.ts';
import { readTotals, soughtStem } from './cards.ts';
import { countHolders } from './holders.ts';
import { type Matrix, withMatrix } from './matrix.ts';
import { namesIn } from './names.ts';
import { type Match, rankCandidates } from './ranking.ts';
import type { SearchIndex } from './search-index.ts';
import { addSynonyms, sayingsOf } from './synonyms.ts';
import { contentStems } from './tokens.ts';
import { createPause, type Pause } from './turns.ts';
import { findByWords } from './words.ts';

/** Candidates taken from the words and from the vectors each before they are ranked, */
const DEPTH = 60;
/** and from the words where they are alone. */
const WORDS_DEPTH = 150;
/** So few admitted cards are listed; of more it is asked which of the candidates are admitted. */
const FEW = 2_000;
/** So few admitted cards are all ranked. */
const VERY_FEW = 300;

/** Restricts a search itself, not its result, to some rows of a table. */
export interface Within {
  /** Table with its alias. */
  from: string;
  /** Column of the card's id, under that alias. */
  id: string;
  where: string;
  params: Readonly<Record<string, string | number>>;
}

export interface SearchQuery {
  text: string;
  /** Vector of the same text, or null when there is no model: then words alone rank. */
  vector: Float32Array | null;
  limit: number;
  within?: Within;
}

export type Hit = Match;

/** `searchHybrid`, in this thread: exact nearest neighbours and the cards that words find, ranked together. */
export async function searchHere(
  db: Database,
  index: SearchIndex,
  query: SearchQuery,
): Promise<Hit[]> {
  const { vector } = query;
  if (vector === null) return search(db, index, query, null, createPause());
  assertUnit(vector);
  return withMatrix(db, index.name, (matrix, pause) => search(db, index, query, matrix, pause));
}

async function search(
  db: Database,
  index: SearchIndex,
  query: SearchQuery,
  matrix: Matrix | null,
  pause: Pause,
): Promise<Hit[]> {
  const { within, vector } = query;
  const few = within === undefined ? null : listFew(db, within);
  const admit = admission(db, within, few);
  const totals = readTotals(db, index.name);
  const sayings = sayingsOf(query.text, index.synonyms ?? []);
  const stems = addSynonyms(contentStems(query.text), sayings);
  const counted = await countHolders(db, index.name, stems, pause);
  const sought = counted.map((stem) => soughtStem(stem, totals));
  const near =
    matrix === null || vector === null
      ? []
      : await matrix.nearest(vector, DEPTH, few === null ? admit : [...few]);
  const found =
    few !== null && few.size <= VERY_FEW
      ? few
      : await findByWords(db, {
          name: index.name,
          weights: Object.values(index.columns),
          titleColumn: Object.keys(index.columns)[0] ?? '',
          sought,
          admit,
          depth: vector === null ? WORDS_DEPTH : DEPTH,
          pause,
        });
  await pause();
  return rankCandidates(db, index.name, new Set([...near, ...found]), {
    sought,
    names: namesIn(query.text, counted, totals.cards, sayings),
    totals,
    vector,
    matrix,
    limit: query.limit,
  });
}

/** The admitted cards, or null when they are many. */
function listFew(db: Database, { from, id, where, params }: Within): Set<number> | null {
  const ids = readIds(
    db,
    `SELECT ${id} AS id FROM ${from} WHERE ${where} LIMIT ${FEW + 1}`,
    params,
  );
  return ids.length > FEW ? null : new Set(ids);
}

/** Which of some cards are admitted. */
function admission(
  db: Database,
  within: Within | undefined,
  few: ReadonlySet<number> | null,
): (ids: readonly number[]) => ReadonlySet<number> {
  if (within === undefined) return (ids) => new Set(ids);
  if (few !== null) return (ids) => new Set(ids.filter((id) => few.has(id)));
  const { from, id, where, params } = within;
  const select = `
    SELECT ${id} AS id FROM ${from}
    WHERE ${id} IN (SELECT value FROM json_each(@candidates)) AND ${where}`;
  return (ids) => new Set(readIds(db, select, { ...params, candidates: JSON.stringify(ids) }));
}

/** One row of JSON is read three times as fast as a row for each id. */
function readIds(db: Database, select: string, params: Within['params']): number[] {
  const json = db
    .prepare<object, string>(`SELECT json_group_array(id) FROM (${select})`)
    .pluck()
    .get(params);
  const ids: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(ids) ? ids.map(Number) : [];
}
