import type { Database } from 'better-sqlite3';
import { foldCase } from '../../core/text.ts';
import type { Filter } from '../../search/lexical.ts';
import { isStopWord, plainStems } from '../../search/tokenise.ts';
import { paperIndex } from './tables.ts';

/** Letters of an unfinished word by which titles are found; fewer begin thousands of words. */
const MIN_PREFIX = 3;
/** Sorts behind every character of an id. */
const LAST = '\u{10ffff}';

/** Source ids of papers whose id begins so, the newest first; of all papers with new ids for ''. */
export function listIdsFrom(db: Database, prefix: string, limit: number): string[] {
  // Old ids begin with a letter and would come before the new ones.
  const [start, end] =
    prefix === '' ? ['arxiv:0', 'arxiv:a'] : [`arxiv:${prefix}`, `arxiv:${prefix}${LAST}`];
  return db
    .prepare<object, string>(`
      SELECT source_id FROM paper
      WHERE source_id >= @start AND source_id < @end AND withdrawn = 0
      ORDER BY source_id DESC LIMIT @limit`)
    .pluck()
    .all({ start, end, limit });
}

/** Source ids of papers whose titles contain the words, the last of which may be unfinished; best first. */
export function listIdsByTitle(db: Database, words: string, limit: number): string[] {
  const [, begun = '', last = ''] = /^(.*?)([\p{L}\p{N}]*)$/su.exec(words.trim()) ?? [];
  const whole = begun.split(/\s+/u).filter((word) => !isStopWord(word));
  const terms = whole.flatMap(plainStems).map((stem) => `"${stem}"`);
  if (last.length >= MIN_PREFIX && !isStopWord(last)) {
    const stems = plainStems(last).map((stem) => `"${stem}"`);
    terms.push(`(${[...stems, `"${foldCase(last)}"*`].join(' OR ')})`);
  }
  if (terms.length === 0) return [];
  return db
    .prepare<object, string>(`
      SELECT paper.source_id FROM paper_terms JOIN paper ON paper.id = paper_terms.rowid
      WHERE paper_terms MATCH @expression
      ORDER BY bm25(paper_terms) LIMIT @limit`)
    .pluck()
    .all({ expression: `title : (${terms.join(' AND ')})`, limit });
}

/** The tags of the papers held with the number of papers of each, the most frequent first. */
export function listTags(db: Database): { tag: string; papers: number }[] {
  return db
    .prepare<[], { tag: string; papers: number }>(`
      WITH list AS (SELECT tags, count(*) AS papers FROM paper WHERE withdrawn = 0 GROUP BY tags)
      SELECT each.value AS tag, sum(list.papers) AS papers
      FROM list, json_each(list.tags) AS each
      GROUP BY tag ORDER BY papers DESC, tag`)
    .all();
}

/** When the papers were last refreshed, ISO 8601; undefined on an empty shelf. */
export function findAsOf(db: Database): string | undefined {
  const row = db
    .prepare<[], string | null>(`
      SELECT coalesce(
        (SELECT finished_at FROM harvest WHERE set_name = 'q-fin'),
        (SELECT as_of FROM paper ORDER BY id DESC LIMIT 1))`)
    .pluck()
    .get();
  return row ?? undefined;
}

/** A condition that a paper `p` meets or not. */
export type Condition = Pick<Filter, 'where' | 'params'>;

/** Met by no paper. */
export const NOTHING: Condition = { where: 'false', params: {} };

/** By the authors of an FTS5 expression. `key` keeps its parameters apart from those of others. */
export function isBy(expression: string, key: string): Condition {
  const { name } = paperIndex;
  return {
    where: `p.id IN (SELECT rowid FROM ${name}_terms WHERE ${name}_terms MATCH @${key})`,
    params: { [key]: expression },
  };
}

/**
 * Published within a span, both ends included: YYYY, YYYY-MM or YYYY-MM-DD. Of some papers the month alone
 * is known: days are compared as far as both sides have them.
 */
export function isPublished(
  { from, to }: { from: string | null; to: string | null },
  key: string,
): Condition {
  return {
    where: `
      p.published >= substr(@${key}From, 1, length(p.published))
      AND substr(p.published, 1, length(@${key}To)) <= @${key}To`,
    params: { [`${key}From`]: from ?? '', [`${key}To`]: to ?? '9999' },
  };
}

/** In a category such as q-fin.PR, first or not, or in any of an archive such as q-fin. */
export function isInCategory(code: string, key: string): Condition {
  const [whole, archive] = [`"${code.toLowerCase()}"`, `"${code.toLowerCase()}.`];
  return {
    where: `instr(lower(p.categories), @${key}) > 0 OR instr(lower(p.categories), @${key}Archive) > 0`,
    params: { [key]: whole, [`${key}Archive`]: archive },
  };
}

/** The papers that meet all conditions. */
export function allOf(conditions: readonly Condition[]): Filter {
  return {
    from: 'paper p',
    id: 'p.id',
    where: conditions.map(({ where }) => `(${where})`).join(' AND ') || 'true',
    params: Object.assign({}, ...conditions.map(({ params }) => params)),
  };
}

/** The ids of the newest papers that pass a filter; arXiv numbers its papers by date. */
export function listNewest(db: Database, { from, where, params }: Filter, limit: number): number[] {
  return db
    .prepare<object, number>(`
      SELECT p.id FROM ${from}
      WHERE (${where}) AND p.withdrawn = 0
      ORDER BY p.published DESC, p.source_id DESC LIMIT @limit`)
    .pluck()
    .all({ ...params, limit });
}
