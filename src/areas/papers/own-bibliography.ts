import { basename, dirname, resolve } from 'node:path';
import { isCalendarDay } from '../../core/fields.ts';
import { cleanLine } from '../../core/text.ts';
import { type Front, lettersOf } from './full-text/sections/front.ts';

/** An entry of the user's bibliography. */
export interface BibEntry {
  title: string;
  authors: string[];
  /** YYYY, YYYY-MM or YYYY-MM-DD; '' if unknown. */
  published: string;
  doi: string | null;
  /** An id at arXiv, as written. */
  eprint: string | null;
  journalRef: string | null;
  abstract: string | null;
  /** Absolute paths. */
  files: string[];
}

/** Shorter titles may be printed in any paper. */
const LEAST_LETTERS = 20;
const NO_CASES = { english: false, caseProtection: false, unsupported: 'ignore' } as const;

/**
 * Reads a bibliography in BibTeX, as Zotero and others export it; its relative paths start from the folder
 * of `path`. Entries that cannot be read are left out and counted in `log`.
 */
export async function readBibliography(
  text: string,
  path: string,
  log: (line: string) => void,
): Promise<BibEntry[]> {
  const { parse } = await import('@retorquere/bibtex-parser');
  const { entries, errors } = parse(text, NO_CASES);
  if (errors.length > 0) log(`${basename(path)}: ${errors.length} entries could not be read.`);
  return entries.flatMap(({ fields }) => {
    const textOf = (name: string) => {
      const value: unknown = Reflect.get(fields, name);
      return typeof value === 'string' ? cleanLine(value) : '';
    };
    const title = textOf('title');
    if (title === '') return [];
    const doi = textOf('doi').replace(/^https?:\/\/(?:dx\.)?doi\.org\//i, '');
    const isArxiv = /arxiv/i.test(`${textOf('eprinttype')}${textOf('archiveprefix')}`);
    return {
      title,
      authors: (fields.author ?? []).map(({ name, prefix, firstName, lastName, suffix }) =>
        cleanLine(name ?? [firstName, prefix, lastName, suffix].filter(Boolean).join(' ')),
      ),
      published: readDate(textOf('date') || `${textOf('year')}-${monthOf(textOf('month'))}`),
      doi: doi.toLowerCase() || null,
      eprint: isArxiv ? textOf('eprint') || null : null,
      journalRef: textOf('journal') || textOf('journaltitle') || textOf('booktitle') || null,
      abstract: textOf('abstract') || null,
      files: filesIn(textOf('file'), dirname(path)),
    };
  });
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function monthOf(text: string): string {
  const month = MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1 || Number(text);
  return String(month).padStart(2, '0');
}

/** The valid part of a date. */
function readDate(text: string): string {
  const [, year = '', month = '', day = ''] =
    /^(\d{4})(-(?:0[1-9]|1[0-2]))?(-\d\d)?/.exec(text) ?? [];
  return isCalendarDay(`${year}${month}${day}`) ? `${year}${month}${day}` : `${year}${month}`;
}

/** The files in "Full Text:files/1/a.pdf:application/pdf;…", "files/1/a.pdf" or "/home/me/a.pdf". */
function filesIn(field: string, from: string): string[] {
  return field
    .split(/(?<!\\)[:;]/)
    .map((part) => part.replace(/\\(?=[:;\\])/g, '').trim())
    .filter((part) => /\.(?:pdf|html?)$/i.test(part))
    .map((part) => resolve(from, part));
}

/** The entry of a file: by its path, or its name where one entry alone has it; else by the printed title. */
export function findEntry(
  entries: readonly BibEntry[],
  path: string,
  { title, letters }: Pick<Front, 'title' | 'letters'>,
): BibEntry | undefined {
  const exact = entries.find(({ files }) => files.includes(path));
  const [named, ...others] = entries.filter(({ files }) =>
    files.some((file) => basename(file) === basename(path)),
  );
  if (exact !== undefined || (named !== undefined && others.length === 0)) return exact ?? named;
  const isPrinted = (entry: BibEntry) => {
    const sought = lettersOf(entry.title);
    if (sought.length < LEAST_LETTERS) return title !== null && sought === lettersOf(title);
    return letters.includes(sought);
  };
  // The longer of two titles is the more specific.
  return entries.filter(isPrinted).sort((a, b) => b.title.length - a.title.length)[0];
}
