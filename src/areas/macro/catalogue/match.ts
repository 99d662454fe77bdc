import synonyms from '../../../../data/macro-synonyms.json' with { type: 'json' };

/** The fields that catalogue search matches against. */
export interface Matchable {
  indicator: string;
  seriesId: string;
  title: string;
}

const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(synonyms));

/** Folds case, character forms (NFKC) and white space for comparison. */
export function normalise(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, ' ');
}

/**
 * The rows that match a query, best first: exact names, then aliases with a part that starts with
 * it, then rows that contain all its words; catalogue order within each group. The reviewed synonyms
 * are used only when nothing matches.
 */
export function matchIndicators<T extends Matchable>(rows: readonly T[], query: string): T[] {
  const wanted = normalise(query);
  const groups: T[][] = [[], [], []];
  for (const row of rows) groups[rank(row, wanted)]?.push(row);
  const found = groups.flat();
  return found.length > 0 ? found : findBySynonym(rows, wanted);
}

/** 0 exact, 1 prefix of an alias part, 2 all words, 3 no match. */
function rank(row: Matchable, wanted: string): number {
  if ([row.indicator, row.seriesId, row.title].some((name) => normalise(name) === wanted)) return 0;
  // Parts are written with underscores; people write "fed funds" and "fed-funds".
  const key = wanted.replace(/[ -]/g, '_');
  if (`.${row.indicator}`.includes(`.${key}`)) return 1;
  const held = wordsOf(`${row.indicator} ${row.title} ${row.seriesId}`);
  const asked = wordsOf(wanted);
  return asked.length > 0 && asked.every((word) => held.includes(word)) ? 2 : 3;
}

/** The words of a text, normalised, in order. */
export function wordsOf(text: string): string[] {
  return normalise(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The rows that the reviewed synonyms give for a normalised query. */
export function findBySynonym<T extends Matchable>(rows: readonly T[], wanted: string): T[] {
  const aliases = SYNONYMS.get(wanted) ?? [];
  return aliases.flatMap((alias) => rows.filter((row) => row.indicator === alias));
}
