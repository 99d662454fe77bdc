import type { Database } from 'better-sqlite3';
import { keepStatements } from '../statements.ts';
import type { Sought } from './cards.ts';
import type { Pause } from './turns.ts';

/**
 * The words of an index in FTS5, which is given stems and only finds candidates. Common words make
 * a search slow and tell little: they are bounded, so that their lists are walked through but few of
 * their cards are scored.
 */

/** Cards that a search by words may score at once: each costs a microsecond. */
const BUDGET = 500;
/** With so many cards of a rare word at hand, the common words are left to the ranking. */
const ENOUGH = 50;
/** Times the budget that a filter may make a search look at: 50,000 cards. */
const MAX_PAGES = 100;
/** Of the common words, how many the cards must have together. */
const TOGETHER = 4;

export function createWords(db: Database, name: string, columns: readonly string[]): void {
  db.exec(`
    CREATE VIRTUAL TABLE ${name}_words USING fts5(
      ${columns.join(', ')},
      content = '', contentless_delete = 1,
      tokenize = 'unicode61 remove_diacritics 0'
    );
    CREATE VIRTUAL TABLE ${name}_stem USING fts5vocab(${name}_words, 'row')`);
}

/** Puts or replaces the stems of a card, a list for each column. */
export function writeWords(
  db: Database,
  name: string,
  id: number,
  columns: Readonly<Record<string, readonly string[]>>,
): void {
  removeWords(db, name, id);
  const names = Object.keys(columns);
  const texts = Object.entries(columns).map(([column, stems]) => [column, stems.join(' ')]);
  db.prepare(`
    INSERT INTO ${name}_words (rowid, ${names.join(', ')})
    VALUES (@id, ${names.map((column) => `@${column}`).join(', ')})`).run({
    ...Object.fromEntries(texts),
    id,
  });
}

export function removeWords(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_words WHERE rowid = @id`).run({ id });
}

export interface WordsQuery {
  name: string;
  /** bm25 weight of each column, in their order. */
  weights: readonly number[];
  /** The column that says most in fewest words. */
  titleColumn: string;
  sought: readonly Sought[];
  /** Which of some cards may be found. */
  admit: (ids: readonly number[]) => ReadonlySet<number>;
  depth: number;
  pause: Pause;
}

/**
 * Up to about `depth` cards by their words: the best of those with a rare word, and of those with
 * the common words together. What a card is worth as a whole is for others to say.
 */
export async function findByWords(db: Database, query: WordsQuery): Promise<number[]> {
  const held = query.sought
    .filter(({ holders }) => holders > 0)
    .sort((a, b) => a.holders - b.holders);
  const rare: string[] = [];
  let cost = 0;
  for (const { stem, holders } of held) {
    cost += holders;
    if (cost > BUDGET) break;
    rare.push(stem);
  }
  const found = rare.length === 0 ? [] : await match(db, query, rare.map(quote).join(' OR '));
  if (rare.length === held.length || found.length >= ENOUGH) return found;
  const stems = held.map(({ stem }) => stem);
  return [...new Set([...found, ...(await findTogether(db, query, stems))])];
}

/** Cards with as many of the rarest words together as any card has. */
async function findTogether(
  db: Database,
  query: WordsQuery,
  stems: readonly string[],
): Promise<number[]> {
  for (let count = Math.min(TOGETHER, stems.length); count > 1; count -= 1) {
    const found = await match(db, query, stems.slice(0, count).map(quote).join(' AND '));
    if (found.length > 0) return found;
  }
  const [rarest = ''] = stems;
  const inTitle = await match(db, query, `${query.titleColumn} : ${quote(rarest)}`);
  return inTitle.length > 0 ? inTitle : match(db, query, quote(rarest));
}

// Without an order FTS5 stops at the limit; newer cards have the higher ids.
const selectBelow = keepStatements((db, sql) => db.prepare<object, Found>(sql).raw());

type Found = [id: number, bm25: number];

async function match(db: Database, query: WordsQuery, expression: string): Promise<number[]> {
  const { name, weights, admit, depth, pause } = query;
  const rowsBelow = selectBelow(
    db,
    `SELECT rowid, bm25(${name}_words, ${weights.join(', ')})
    FROM ${name}_words WHERE ${name}_words MATCH @expression AND rowid < @below
    ORDER BY rowid DESC LIMIT @budget`,
  );
  const found: number[] = [];
  let below = Number.MAX_SAFE_INTEGER;
  // A filter may let in none of the newest: then the older ones have their turn.
  for (let page = 0; page < MAX_PAGES && found.length < depth; page += 1) {
    const rows = rowsBelow.all({ expression, below: BigInt(below), budget: BUDGET });
    below = rows.at(-1)?.[0] ?? 0;
    await pause();
    const ranked = rows.sort(([a, x], [b, y]) => x - y || b - a).map(([id]) => id);
    found.push(...takeAdmitted(ranked, admit, depth - found.length));
    await pause();
    if (rows.length < BUDGET) break;
  }
  return found;
}

/** The first `depth` of some cards that may be found. */
function takeAdmitted(
  ranked: readonly number[],
  admit: WordsQuery['admit'],
  depth: number,
): number[] {
  const found: number[] = [];
  for (let from = 0; from < ranked.length && found.length < depth; from += 2 * depth) {
    const part = ranked.slice(from, from + 2 * depth);
    const admitted = admit(part);
    found.push(...part.filter((id) => admitted.has(id)));
  }
  return found.slice(0, depth);
}

/** Quoting makes every operator a plain word. */
function quote(stem: string): string {
  return `"${stem}"`;
}
