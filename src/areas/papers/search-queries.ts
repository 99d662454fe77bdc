import type { Database } from 'better-sqlite3';
import type { Filter } from '../../search/lexical.ts';
import { paperIndex } from './tables.ts';

/** A condition that a paper `p` meets or not. */
export type Condition = Pick<Filter, 'where' | 'params'>;

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
