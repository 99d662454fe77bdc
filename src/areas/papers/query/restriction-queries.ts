import type { Database } from 'better-sqlite3';
import { readStrings } from '../../../core/strings.ts';
import type { Filter } from '../../../store/search/filter.ts';
import { paperIndex } from '../tables.ts';
import type { Span } from './dates.ts';

/** A condition that a paper `p` meets or not. */
export type Condition = Pick<Filter, 'where' | 'params'>;

/** The papers with an author of whose name a stem is part, and all their authors. */
export function listAuthored(db: Database, stem: string): { id: number; authors: string[] }[] {
  return db
    .prepare<{ expression: string }, { id: number; authors: string }>(`
      SELECT paper.id, paper.authors
      FROM ${paperIndex.name}_terms AS card JOIN paper ON paper.id = card.rowid
      WHERE ${paperIndex.name}_terms MATCH @expression`)
    .all({ expression: `authors : "${stem}"` })
    .map(({ id, authors }) => ({ id, authors: readStrings(authors) }));
}

export function isAmong(ids: readonly number[]): Condition {
  return {
    where: 'p.id IN (SELECT value FROM json_each(@among))',
    params: { among: JSON.stringify(ids) },
  };
}

/**
 * Published within a span, as far as is known. The ends may be days, months or years, and so may the
 * date of a paper; each pair is compared at the coarser precision, so a paper of 2024-05 is within
 * "since 2024-05-10" and within "until 2024-05-10".
 */
export function isPublishedWithin({ from, to }: Span): Condition {
  return {
    where:
      'p.published >= substr(@from, 1, length(p.published)) AND substr(p.published, 1, length(@to)) <= @to',
    params: { from: from ?? '', to: to ?? '9999' },
  };
}

/** In one of the categories, first or not. */
export function isInCategories(codes: readonly string[]): Condition {
  return {
    where: 'EXISTS (SELECT 1 FROM json_each(@codes) WHERE instr(p.categories, value) > 0)',
    params: { codes: JSON.stringify(codes.map((code) => `"${code}"`)) },
  };
}

/** The papers that meet all conditions, each of another kind. */
export function allOf(conditions: readonly Condition[]): Filter {
  return {
    from: 'paper p',
    id: 'p.id',
    where: conditions.map(({ where }) => `(${where})`).join(' AND '),
    params: Object.assign({}, ...conditions.map(({ params }) => params)),
  };
}

/** Whether a paper on the shelf meets all conditions. */
export function isMet(db: Database, conditions: readonly Condition[]): boolean {
  const { from, where, params } = allOf(conditions);
  const found = db.prepare<object>(`SELECT 1 FROM ${from} WHERE ${where} LIMIT 1`).get(params);
  return found !== undefined;
}

/** The date since which this share of the papers was published; null on an empty shelf. */
export function findDayOfShare(db: Database, share: number): string | null {
  const day = db
    .prepare<{ share: number }, string>(`
      SELECT published FROM paper ORDER BY published DESC
      LIMIT 1 OFFSET (SELECT CAST(@share * count(*) AS INTEGER) FROM paper)`)
    .pluck()
    .get({ share });
  return day ?? null;
}

/** The ids of the newest papers that pass a filter; arXiv numbers its papers by date. */
export function listNewest(db: Database, { from, where, params }: Filter, limit: number): number[] {
  return db
    .prepare<object, number>(`
      SELECT p.id FROM ${from} WHERE (${where}) AND p.withdrawn = 0
      ORDER BY p.published DESC, p.source_id DESC LIMIT @limit`)
    .pluck()
    .all({ ...params, limit });
}
