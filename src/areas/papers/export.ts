import type { Database } from 'better-sqlite3';
import type { ExportTable, ExportValue } from '../../core/area.ts';
import { toBibtex } from './bibtex.ts';
import { requirePaper } from './find.ts';
import { findPaperByCardId } from './queries.ts';

/** Selects the papers to export; days are publication days. */
interface PaperSelection {
  /** Ids in any form; all papers if empty. */
  ids: readonly string[];
  since?: string;
  until?: string;
}

/** Rows of the view `papers`, under its column names. Throws `not_found` for an unknown id. */
export function exportPapers(db: Database, selection: PaperSelection): ExportTable {
  const statement = db
    .prepare<object, ExportValue[]>(`SELECT * FROM papers ${WHERE} ${orderOf(selection)}`)
    .raw();
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: statement.iterate(paramsOf(db, selection)),
    lists: ['authors', 'tags', 'categories'],
  };
}

/** BibTeX entries with unique keys. Throws like `exportPapers`. */
export function* exportBibtex(db: Database, selection: PaperSelection): Generator<string> {
  const keys = new Map<string, number>();
  const cardIds = db
    .prepare<object, string>(`SELECT paperCardId FROM papers ${WHERE} ${orderOf(selection)}`)
    .pluck()
    .iterate(paramsOf(db, selection));
  for (const cardId of cardIds) {
    const paper = findPaperByCardId(db, cardId);
    if (paper === undefined) continue;
    const entry = toBibtex(paper);
    const key = entry.slice(0, entry.indexOf(','));
    const before = keys.get(key) ?? 0;
    keys.set(key, before + 1);
    yield `${key}${before === 0 ? '' : `-${before + 1}`}${entry.slice(key.length)}\n`;
  }
}

const [FIRST, LAST] = ['0000-01-01', '9999-12-31'];
/** Compare dates only as far as they are known, such as by month. */
const WHERE = `
  WHERE (@ids IS NULL OR paperCardId IN (SELECT value FROM json_each(@ids)))
    AND published >= substr(@since, 1, length(published))
    AND published <= substr(@until, 1, length(published))
    AND (published <> '' OR (@since = '${FIRST}' AND @until = '${LAST}'))`;

/**
 * In the order of the ids, so the best match of a query comes first. Without ids, leave the papers
 * unsorted: a sort would hold them all in memory.
 */
function orderOf({ ids }: PaperSelection): string {
  return ids.length === 0
    ? ''
    : 'ORDER BY (SELECT min(key) FROM json_each(@ids) WHERE value = paperCardId)';
}

function paramsOf(db: Database, { ids, since = FIRST, until = LAST }: PaperSelection) {
  // The second is the id of an own row shown in place of a withdrawn card.
  const cardIds = ids
    .map((id) => requirePaper({ db }, id).cardId)
    .flatMap((id) => [id, `own:${id}`]);
  return { since, until, ids: cardIds.length === 0 ? null : JSON.stringify(cardIds) };
}
