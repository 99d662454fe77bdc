import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { ListNews } from '../../core/news.ts';
import type { Reader } from '../../core/reader.ts';
import { bytesOf, cosinesOf } from '../../search/vectors.ts';
import type { SectionType } from './full-text/sections/sections.ts';
import { cardIdOfText, ownIdIn, plainIdIn } from './own-hidden.ts';

export interface PaperRow {
  id: number;
  /** Key of the text and sections: `id` or, if the user's file supplies them, the id of the own row. */
  textId: number;
  cardId: string;
  sourceId: string;
  /** Null until known: a harvested record does not state it. */
  version: number | null;
  /** Day of the first version, YYYY-MM-DD, or as much as is known; '' for an undated own paper. */
  published: string;
  /** Day of the current version, YYYY-MM-DD; null if unknown. */
  updated: string | null;
  title: string;
  authors: string[];
  abstract: string;
  summary: string;
  tags: string[];
  categories: string[];
  pdfUrl: string;
  licenseUrl: string | null;
  doi: string | null;
  journalRef: string | null;
  comment: string | null;
  origin: 'starter' | 'arxiv' | 'own';
  withdrawn: 0 | 1;
  /** Day of the withdrawal, YYYY-MM-DD; null if unknown. */
  withdrawnOn: string | null;
  /** Last change of arXiv's record, YYYY-MM-DD; null for a starter card. */
  datestamp: string | null;
  /** When arXiv last confirmed the version, ISO 8601. */
  versionChecked: string | null;
  asOf: string;
  /** Format of the full text; null while there is none. */
  textFormat: 'html' | 'ar5iv' | 'pdf' | null;
  textVersion: number | null;
  textParser: number | null;
  /** Last page read, and number of pages; null unless a PDF was read in part. */
  lastPage: number | null;
  pages: number | null;
  /** Why the last attempt failed, and the earliest time for the next one, ISO 8601. */
  textFault: string | null;
  textRetryAt: string | null;
}

/** A section without its text, with the field names of the published schema. */
export interface ManifestRow {
  section_key: string;
  section_type: string;
  title: string;
  char_count: number;
  section_order: number;
}

type Lists = 'authors' | 'tags' | 'categories';
type RawPaper = Omit<PaperRow, Lists> & Record<Lists, string>;

const SELECT_PAPER = `
  SELECT id, id AS textId, ${plainIdIn('card_id')} AS cardId,
    ${plainIdIn('source_id')} AS sourceId, paper.version, published, updated, title, authors,
    abstract, summary, tags, categories, pdf_url AS pdfUrl, license_url AS licenseUrl, doi,
    journal_ref AS journalRef, comment, origin, withdrawn, withdrawn_on AS withdrawnOn, datestamp,
    version_checked AS versionChecked, as_of AS asOf, text.source AS textFormat,
    text.version AS textVersion, text.parser AS textParser, text.fault AS textFault,
    text.retry_at AS textRetryAt, text.last_page AS lastPage, text.pages
  FROM paper LEFT JOIN paper_text AS text ON text.paper_id = paper.id`;

const strings = z.array(z.string());

/** Parses a stored JSON array of strings; throws for anything else. */
export function readStrings(json: string): string[] {
  return strings.parse(JSON.parse(json));
}

export function getPaperById(db: Reader, id: number): PaperRow | undefined {
  return findBy(db, 'id = @value', id);
}

export function findPaperByCardId(db: Reader, cardId: string): PaperRow | undefined {
  return findBy(db, 'card_id = @value', cardId);
}

/**
 * The paper with this DOI or title: arXiv's card if there is one, even if only the user's own file
 * states the value.
 */
export function findPaperBy(db: Reader, column: 'doi' | 'title', value: string) {
  const isCard = `${column} = @value COLLATE NOCASE AND (withdrawn = 0 OR id < 0)`;
  const row = findBy(db, `${isCard} ORDER BY id < 0, id`, value);
  return row && getPaperById(db, cardIdOfText(row.id));
}

/** The first paper whose card lacks vectors, among all papers or those with these ids. */
export function findUndigested(db: Database, ids: readonly number[] | null): PaperRow | undefined {
  const isAmong = '(@value IS NULL OR id IN (SELECT value FROM json_each(@value)))';
  const isUndigested = `digested = 0 AND withdrawn = 0 AND ${isAmong} ORDER BY id`;
  return findBy(db, isUndigested, ids && JSON.stringify(ids));
}

function findBy(
  db: Reader,
  condition: string,
  value: string | number | null,
): PaperRow | undefined {
  const raw = db
    .prepare<object, RawPaper>(`${SELECT_PAPER} WHERE ${condition} LIMIT 1`)
    .get({ value });
  return (
    raw && {
      ...raw,
      authors: readStrings(raw.authors),
      tags: readStrings(raw.tags),
      categories: readStrings(raw.categories),
    }
  );
}

const MANIFEST = 'section_key, section_type, title, char_count, section_order';
const OF_PAPER = 'FROM paper_section WHERE paper_id = @paperId ORDER BY section_order';

export function listManifest(db: Reader, paperId: number): ManifestRow[] {
  return db.prepare<object, ManifestRow>(`SELECT ${MANIFEST} ${OF_PAPER}`).all({ paperId });
}

export function listSections(db: Reader, paperId: number): (ManifestRow & { content: string })[] {
  return db
    .prepare<object, ManifestRow & { content: string }>(`SELECT ${MANIFEST}, content ${OF_PAPER}`)
    .all({ paperId });
}

/**
 * Sections of these types touch on every subject of a paper; the penalty favours sections devoted
 * to one.
 */
const GENERAL: readonly SectionType[] = ['abstract', 'introduction', 'conclusion'];
const GENERAL_PENALTY = 0.06;
/** Penalty per unit of ln(passages): a longer section has more chances of a close match. */
const LENGTH_PENALTY = 0.02;

/** A paper's sections that have vectors, ranked by their best passage for a question. */
export function rankSections(
  db: Reader,
  paperId: number,
  vector: Float32Array,
): { key: string; score: number }[] {
  const unit = Float64Array.from(vector);
  return db
    .prepare<{ paperId: number }, { key: string; type: SectionType; embedding: Buffer }>(`
      SELECT section_key AS key, section_type AS type, embedding
      FROM paper_section
      WHERE paper_id = @paperId AND embedding IS NOT NULL
      ORDER BY section_order`)
    .all({ paperId })
    .map(({ key, type, embedding }) => {
      const cosines = cosinesOf(bytesOf(embedding), unit);
      const penalty = GENERAL.includes(type) ? GENERAL_PENALTY : 0;
      const score = Math.max(...cosines) - LENGTH_PENALTY * Math.log(cosines.length) - penalty;
      return { key, score };
    })
    .sort((a, b) => b.score - a.score);
}

/** The stored state of a set's harvests. Days are YYYY-MM-DD. */
interface Harvest {
  /** First day of the next run. */
  nextFrom: string | null;
  /** This and the next three fields describe the unfinished run; `from` is null if there is none. */
  from: string | null;
  token: string | null;
  responded: string | null;
  records: number;
  /** When a run last finished, ISO 8601. */
  finishedAt: string | null;
  /** Every change from this day to `finishedAt` is stored. */
  coveredFrom: string | null;
}

export function findHarvest(db: Reader, set: string): Harvest | undefined {
  return db
    .prepare<{ set: string }, Harvest>(`
      SELECT next_from AS nextFrom, run_from AS "from", run_token AS token,
        run_answered AS responded, run_records AS records, finished_at AS finishedAt,
        covered_from AS coveredFrom
      FROM harvest WHERE set_name = @set`)
    .get({ set });
}

interface PaperSummary {
  count: number;
  /** Number of papers with one of the user's own files. */
  own: number;
  withFullText: number;
  newest: string | null;
  /** Latest `as_of` of the public papers, else of the user's own, ISO 8601; null without papers. */
  asOf: string | null;
}

/** Summarises the papers that are not withdrawn. */
export function summarisePapers(db: Reader): PaperSummary {
  const row = db
    .prepare<[], PaperSummary>(`
      SELECT count(*) AS count, (SELECT count(DISTINCT paper_id) FROM own_file) AS own,
        count(coalesce(text.source, own.source)) AS withFullText,
        max(published) AS newest,
        coalesce(max(iif(origin = 'own', NULL, as_of)), max(as_of)) AS asOf
      FROM paper LEFT JOIN paper_text AS text ON text.paper_id = id
        LEFT JOIN paper_text AS own ON own.paper_id = ${ownIdIn('id')}
      WHERE withdrawn = 0`)
    .get();
  return row ?? { count: 0, own: 0, withFullText: 0, newest: null, asOf: null };
}

/** Papers added to the shelf, newest publication first. */
export const listPaperNews: ListNews = (db, since, limit) => {
  const params = { since: since.toISOString() };
  const total = db
    .prepare<object, number>('SELECT count(*) FROM paper WHERE added >= @since AND withdrawn = 0')
    .pluck()
    .get(params);
  const items = db
    .prepare<object, { id: string; text: string }>(`
      SELECT ${plainIdIn('source_id')} AS id, title AS text FROM paper
      WHERE added >= @since AND withdrawn = 0
      ORDER BY published DESC, id DESC LIMIT @limit`)
    .all({ ...params, limit });
  return [{ what: 'papers added', total: total ?? 0, items }];
};

/** The sections that contain these consecutive words, in all papers or in one. */
export function listSectionsWithPhrase(
  db: Reader,
  words: readonly string[],
  textId: number | undefined,
  limit: number,
): { textId: number; section_key: string; section_type: string }[] {
  return db
    .prepare<object, { textId: number; section_key: string; section_type: string }>(`
      SELECT paper_id AS textId, section_key, section_type
      FROM paper_section_terms AS terms JOIN paper_section
        ON paper_id = terms.rowid >> 12 AND section_order = terms.rowid & 4095
      WHERE paper_section_terms MATCH @phrase
        AND terms.rowid BETWEEN @first * 4096 AND @last * 4096 + 4095
      ORDER BY terms.rowid LIMIT @limit`)
    .all({
      phrase: `"${words.join(' ')}"`,
      limit,
      // better-sqlite3 binds larger numbers as floating point, which FTS5 ignores.
      first: textId ?? -(2 ** 31),
      last: textId ?? 2 ** 31 - 1,
    });
}

/** Source ids with this prefix, without withdrawn papers, newest first; '' matches all new-style ids. */
export function listIdsFrom(db: Reader, prefix: string, limit: number): string[] {
  // Old ids begin with a letter and would sort before the new ones.
  const [start, end] =
    prefix === '' ? ['arxiv:0', 'arxiv:a'] : [`arxiv:${prefix}`, `arxiv:${prefix}\u{10ffff}`];
  const range = (own: string) =>
    `source_id >= '${own}' || @start AND source_id < '${own}' || @end AND withdrawn = 0`;
  return db
    .prepare<object, string>(`
      SELECT source_id FROM paper WHERE ${range('')}
      UNION ALL SELECT ${plainIdIn('source_id')} FROM paper WHERE ${range('own:')}
      ORDER BY 1 DESC LIMIT @limit`)
    .pluck()
    .all({ start, end, limit });
}

/** Source ids of papers whose titles contain every word, even inside other words; newest first. */
export function listIdsByTitle(db: Reader, words: readonly string[], limit: number): string[] {
  const conditions = words.map((_, at) => `title LIKE '%' || @word${at} || '%'`);
  return db
    .prepare<object, string>(`
      SELECT ${plainIdIn('source_id')} FROM paper WHERE withdrawn = 0 AND ${conditions.join(' AND ')}
      ORDER BY published DESC, source_id DESC LIMIT @limit`)
    .pluck()
    .all({ ...Object.fromEntries(words.map((word, at) => [`word${at}`, word])), limit });
}

/** Tags, most frequent first, with the number of papers for each. */
export function listTags(db: Reader): { tag: string; papers: number }[] {
  return db
    .prepare<[], { tag: string; papers: number }>(`
      WITH list AS (SELECT tags, count(*) AS papers FROM paper WHERE withdrawn = 0 GROUP BY tags)
      SELECT each.value AS tag, sum(list.papers) AS papers
      FROM list, json_each(list.tags) AS each
      GROUP BY tag ORDER BY papers DESC, tag`)
    .all();
}
