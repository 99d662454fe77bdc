import { cleanLine } from '../../../../core/text.ts';
import { lettersOf } from '../sections/front.ts';
import type { Line } from './lines.ts';
import type { PdfDocument } from './pieces.ts';

/** A chapter, as named in a PDF's outline. */
export interface Chapter {
  title: string;
  /** Index of the first page, from 0. */
  page: number;
}

/** A document of at most this many pages needs no outline: its headings are found in the text. */
const MIN_PAGES = 60;
const MAX_CHAPTERS = 300;
/** Maximum number of lines in a printed title. */
const MAX_LINES = 4;
const NUMBER = /^(?:(?:chapter|appendix)\b\s*)?(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.:]?\s+)?/i;

/** The chapters in a book's outline (bookmarks), including those inside parts. */
export async function readChapters(document: PdfDocument): Promise<Chapter[]> {
  if (document.numPages <= MIN_PAGES) return [];
  const outline = (await document.getOutline().catch(() => null)) ?? [];
  const entries = outline.flatMap((entry) => {
    const isPart = outline.length === 1 || /^part\b/i.test(entry.title);
    return isPart && entry.items.length > 0 ? entry.items : [entry];
  });
  const chapters: Chapter[] = [];
  for (const { title, dest } of entries.slice(0, MAX_CHAPTERS)) {
    // If a PDF's tree of names or pages is damaged, skip the chapter rather than the book.
    const page = await findPage(document, dest).catch(() => null);
    if (page !== null && lettersOf(title) !== '') chapters.push({ title: cleanLine(title), page });
  }
  return chapters;
}

async function findPage(document: PdfDocument, dest: string | unknown[] | null): Promise<number> {
  const target = typeof dest === 'string' ? await document.getDestination(dest) : dest;
  return document.getPageIndex(target?.[0]);
}

/**
 * Finds the first line of each chapter's title; inserts a line before the chapter's first page if
 * the title is not printed as text. Returns all lines, and the titles keyed by their first lines.
 */
export function markChapters(
  lines: readonly Line[],
  chapters: readonly Chapter[],
): { lines: Line[]; titles: Map<Line, { title: string; count: number }> } {
  const all = [...lines];
  const titles = new Map<Line, { title: string; count: number }>();
  for (const { title, page } of chapters) {
    const first = all.findIndex((line) => line.page >= page);
    const top = all[first];
    if (top === undefined) continue;
    const printed = all.slice(first).filter((line) => line.page === page);
    const match = findTitle(printed, title);
    const line = match?.line ?? { ...top, text: title, cells: [title], bold: true };
    if (match === null) all.splice(first, 0, line);
    titles.set(line, { title, count: match?.count ?? 1 });
  }
  return { lines: all, titles };
}

const bare = (title: string) => lettersOf(title.replace(NUMBER, ''));

function findTitle(lines: readonly Line[], title: string): { line: Line; count: number } | null {
  const target = bare(title);
  for (const [at, line] of lines.entries()) {
    for (let count = 1; count <= MAX_LINES; count += 1) {
      const text = lines.slice(at, at + count).map((each) => each.text);
      if (bare(text.join(' ')) === target) return { line, count };
    }
  }
  return null;
}
