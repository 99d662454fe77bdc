import type { Database } from 'better-sqlite3';
import type { ExportTable, ExportValue } from '../../core/area.ts';
import { toBibtex } from './bibtex.ts';
import { requirePaper } from './find.ts';
import { findPaperByCardId } from './queries.ts';
import { toReading } from './reading.ts';
import { allOf, isPublished } from './restrictions.ts';

/** Which papers to export, by id and by publication day. */
interface PaperSelection {
  /** Ids in any form; all papers if empty. */
  ids: readonly string[];
  since?: string;
  until?: string;
}

/** Rows of the view `papers`, under its column names. Throws `not_found` for an unknown id. */
export function exportPapers(db: Database, selection: PaperSelection): ExportTable {
  const { sql, params } = select(db, '*', selection);
  const statement = db.prepare<object, ExportValue[]>(sql).raw();
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: statement.iterate(params),
    lists: ['authors', 'tags', 'categories'],
  };
}

/** BibTeX entries with unique keys. Throws like `exportPapers`. */
export function* exportBibtex(db: Database, selection: PaperSelection): Generator<string> {
  const keys = new Map<string, number>();
  const { sql, params } = select(db, 'paperCardId', selection);
  for (const cardId of db.prepare<object, string>(sql).pluck().iterate(params)) {
    const paper = toReading(db, findPaperByCardId(db, cardId));
    if (paper === undefined) continue;
    const entry = toBibtex(paper);
    const key = entry.slice(0, entry.indexOf(','));
    const before = keys.get(key) ?? 0;
    keys.set(key, before + 1);
    yield `${key}${before === 0 ? '' : `-${before + 1}`}${entry.slice(key.length)}\n`;
  }
}

/** The query for a selection. Rows follow the order of `ids`, so search results stay best first. */
function select(db: Database, columns: string, { ids, since, until }: PaperSelection) {
  const cardIds = ids.map((id) => requirePaper({ db }, id).cardId);
  const where = 'paperCardId IN (SELECT value FROM json_each(@ids))';
  const isListed = { where, params: { ids: JSON.stringify(cardIds) } };
  const isDated = isPublished({ from: since ?? null, to: until ?? null }, 'published');
  const filter = allOf([
    ...(since === undefined && until === undefined ? [] : [isDated]),
    ...(ids.length === 0 ? [] : [isListed]),
  ]);
  // Without ids, leave the papers unsorted: a sort would hold them all in memory.
  const order =
    ids.length === 0
      ? ''
      : `ORDER BY (SELECT min(key) FROM json_each(@ids) WHERE value = paperCardId)`;
  const sql = `SELECT ${columns} FROM papers p WHERE ${filter.where} ${order}`;
  return { sql, params: filter.params };
}
