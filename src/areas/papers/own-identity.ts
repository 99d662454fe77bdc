import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import { cleanLine, cut, foldName } from '../../core/text.ts';
import { cardIdOf, monthOf, sourceIdOf } from './arxiv/ids.ts';
import { authorsOf, LIMITS, lineOf } from './arxiv/oai.ts';
import type { Bibliography } from './bibliography.ts';
import { readPaperId } from './find.ts';
import { findAbstract } from './full-text/sections/abstract.ts';
import { type Front, lettersOf } from './full-text/sections/front.ts';
import type { TextSection } from './full-text/sections/sections.ts';
import { isDocument } from './own-files.ts';
import type { PaperRow } from './queries.ts';
import { abstractSection, type PaperSection } from './stored-text.ts';

type Reference = Pick<PaperRow, 'title' | 'authors' | 'published' | 'doi' | 'journalRef'>;

export interface BibEntry extends Reference {
  /** The arXiv id, as written. */
  eprint: string;
  /** Absolute paths. */
  files: string[];
}

/** A paper read from one of the user's files. */
export interface OwnPaper extends Reference, Pick<PaperRow, 'categories' | 'abstract'> {
  paperCardId: string;
  /** `arxiv:…`, `doi:…` or `file:<sha256>`. */
  sourcePaperId: string;
  /** arXiv version; null if unknown. */
  version: number | null;
  sections: PaperSection[];
}

/**
 * Minimum number of letters in a title that is looked up in a text; a shorter one may occur
 * anywhere.
 */
const LEAST_LETTERS = 20;
const DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?/;
/** A DOI in lower case. It may contain "<15::aid-x>", but no Markdown link or code and no HTML tag. */
const DOI = /^(?=.{1,255}$)10\.\d{4,9}\/(?:(?!\][([]|<(?![a-z]?\d+:))[^\s"`])+$/;

/**
 * Reads a BibTeX file, as exported by Zotero and others; relative paths start at its folder. Skips
 * untitled and unreadable entries, and logs the number of the latter.
 */
export async function readBibliography(
  path: string,
  parse: (text: string) => Promise<Bibliography | null>,
  log: (line: string) => void,
): Promise<BibEntry[]> {
  // Reading a pipe without a writer would block, and no signal could end it.
  const isFile = existsSync(path) && statSync(path).isFile();
  const text = isFile ? await readFile(path, 'utf8').catch(() => null) : null;
  if (text === null) throw new UsageError(`${path} is not a readable file: check the path.`);
  const parsed = await parse(text);
  if (parsed === null) {
    throw new UsageError(
      `${path} is not BibTeX, or takes too long or too much memory to read: export it again, or split it.`,
    );
  }
  const { entries, unread } = parsed;
  if (unread > 0) log(`${basename(path)}: skipped entries that could not be read: ${unread}.`);
  return entries.flatMap((fields) => {
    const textOf = (...names: readonly string[]) => {
      const values = names.map((name): unknown => Reflect.get(fields, name));
      return cleanLine(values.find((value) => typeof value === 'string') ?? '');
    };
    const title = cut(textOf('title'), LIMITS.title);
    if (title === '') return [];
    const doi = textOf('doi')
      .toLowerCase()
      // Drop a URL before the DOI, and LaTeX's backslashes, as in "\_".
      .replace(/^.*?(?=10\.)|\\/g, '');
    const month = textOf('month').padStart(2, '0');
    const [date = ''] = DATE.exec(textOf('date') || `${textOf('year')}-${month}`) ?? [];
    return {
      title,
      authors: authorsOf(
        (fields.author ?? []).map(
          ({ name, prefix, firstName, lastName, suffix }) =>
            name ?? [firstName, prefix, lastName, suffix].filter(Boolean).join(' '),
        ),
      ),
      published: date.length < 10 || isCalendarDay(date) ? date : date.slice(0, 7),
      doi: DOI.test(doi) ? doi : null,
      journalRef: lineOf(textOf('journal', 'journaltitle', 'booktitle')) || null,
      eprint: textOf('eprint'),
      files: filesIn(textOf('file'), dirname(path)),
    };
  });
}

/** Paths in a field such as "Full Text:files/1/a.pdf:application/pdf;…" or "/home/me/a.pdf". */
function filesIn(field: string, from: string): string[] {
  return field
    .split(/(?<!\\)[:;]/)
    .map((part) => part.replace(/\\(?=[:;\\])/g, '').trim())
    .filter(isDocument)
    .map((part) => resolve(from, part));
}

/** The entry that names the file's path, or else one whose title the file contains. */
export function findEntry(
  entries: readonly BibEntry[],
  path: string,
  { title, letters }: Pick<Front, 'title' | 'letters'>,
): BibEntry | undefined {
  const isPrinted = (entry: BibEntry) => {
    const sought = lettersOf(entry.title);
    if (sought.length >= LEAST_LETTERS) return letters.includes(sought);
    return foldName(entry.title) === foldName(title ?? '');
  };
  return (
    entries.find(({ files }) => files.includes(path)) ??
    // The longer of two titles is the more specific.
    entries.filter(isPrinted).sort((a, b) => b.title.length - a.title.length)[0]
  );
}

/**
 * Combines the facts from a document, its file name and the bibliography. If they contain no id but
 * the file's `earlier` card has a DOI, that card supplies whatever the bibliography does not.
 */
export function identify(
  { path, sha256 }: { path: string; sha256: string },
  document: { front: Front; sections: readonly TextSection[] },
  entry: Omit<BibEntry, 'files'> | undefined,
  earlier?: PaperRow,
): OwnPaper {
  const { front, sections } = document;
  // Files saved from arXiv are named after its ids, such as 2401.00001v2.html.
  const fileName = basename(path).replace(/\.html?$/i, '.pdf');
  const ids = [front.arxivId, entry?.eprint, fileName, front.doi, entry?.doi].map((text) =>
    readPaperId(text ?? ''),
  );
  const arxivId = ids.find((one) => one.arxivId !== null)?.arxivId ?? null;
  const doi = journalDoi(front.doi) ?? journalDoi(entry?.doi);
  if (arxivId === null && doi === null && earlier?.doi) {
    const kept = { ...earlier, ...entry, doi: earlier.doi, eprint: earlier.sourceId };
    return identify({ path, sha256 }, document, kept);
  }
  const named = doi === null ? `file:${sha256}` : `doi:${doi}`;
  const sourcePaperId = arxivId === null ? named : sourceIdOf(arxivId);
  const date = arxivId === null ? (front.year ?? '') : monthOf(sourcePaperId);
  const { title, text: abstract } = findAbstract(sections);
  const first = sections.find(({ key }) => key === 'abstract');
  return {
    paperCardId: cardIdOf(sourcePaperId),
    sourcePaperId,
    version: ids.find((one) => one.arxivId === arxivId && one.version !== null)?.version ?? null,
    title: entry?.title ?? front.title ?? 'Untitled document',
    authors: entry?.authors.length ? entry.authors : front.authors,
    published: entry?.published || date,
    categories: front.category === null ? [] : [front.category],
    doi,
    journalRef: entry?.journalRef ?? null,
    abstract,
    sections: [
      { ...(first ?? abstractSection(abstract)), title },
      ...sections.filter((section) => section !== first),
    ],
  };
}

/** The DOI; null if arXiv issued it. */
export function journalDoi(doi: string | null | undefined): string | null {
  return readPaperId(doi ?? '').arxivId === null ? (doi ?? null) : null;
}
