import { greatest, rollup, sum } from 'd3-array';
import type { Front } from '../sections/front.ts';
import {
  MIN_TEXT,
  type ParseResult,
  type TextSection,
  toResult,
  toSections,
} from '../sections/sections.ts';
import { type Chapter, markChapters, readChapters } from './chapters.ts';
import { dropContents } from './contents.ts';
import { type Setting, splitAbstract } from './headings.ts';
import { dropLineNumbers } from './line-numbers.ts';
import { dropMargins, type Line, toLines } from './lines.ts';
import { toBlocks } from './paragraphs.ts';
import { collectCompounds, dropFront, toParts } from './parts.ts';
import { readFront } from './pdf-front.ts';
import { type PdfDocument, type PdfPage, readPage } from './pieces.ts';

/** Maximum number of pages read, except in the user's own files; later pages are ignored. */
export const MAX_PAGES = 500;
/** Maximum number of pages in one of the user's own files; a longer file is rejected. */
const MAX_OWN_PAGES = 1_500;
/** Minimum number of code points in one of the user's own files; a scan has at most a stamp on each page. */
const minimumOf = (pages: number) => Math.min(MIN_TEXT, 200 * pages);
/** Pages not reached within this time are ignored; the thread would be terminated a little later. */
const PARSING_MS = 30_000;

/** A part of a PDF: first its front, then each page, or null for an unreadable page. */
export type PdfPart = PdfFront | PdfPage | null;

interface PdfFront {
  /** Number of pages. */
  count: number;
  /** Only for the user's own files. */
  front: Front | null;
  chapters: Chapter[];
}

/**
 * Converts a PDF to sections of Markdown, with formulas as printed. For the user's own files
 * (`isOwn`), also reads title and authors. `onPart` receives each part once read.
 */
export async function readPdf(
  bytes: Uint8Array,
  isOwn = false,
  onPart: (part: PdfPart) => void = () => {},
): Promise<ParseResult> {
  try {
    return layOutPdf(await readParts(bytes, isOwn, onPart));
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === 'PasswordException';
    return { ok: false, reason: isEncrypted ? 'encrypted' : 'not a paper' };
  }
}

/** The sections in the parts of a PDF read so far. */
export function layOutPdf([first, ...rest]: readonly PdfPart[]): ParseResult {
  if (first == null || !('count' in first)) return { ok: false, reason: 'failed conversion' };
  const pages = rest.flatMap((part) => (part !== null && 'pieces' in part ? [part] : []));
  const { count, front } = first;
  const chapters = first.chapters.map(({ title, page }) => ({
    title,
    // The index among the readable pages.
    page: rest.slice(0, page).filter((part) => part !== null).length,
  }));
  if (front !== null && count > MAX_OWN_PAGES) return { ok: false, reason: 'too many pages' };
  const result = {
    ...toResult(readSections(pages, chapters), front === null ? MIN_TEXT : minimumOf(count)),
    ...(front === null ? {} : { front }),
  };
  const isCut = result.ok && rest.length < count;
  return isCut ? { ...result, cut: { lastPage: rest.length, pages: count } } : result;
}

async function readParts(
  bytes: Uint8Array,
  isOwn: boolean,
  onPart: (part: PdfPart) => void,
): Promise<PdfPart[]> {
  const { getResolvedPDFJS } = await import('unpdf');
  polyfillNode20();
  const { getDocument } = await getResolvedPDFJS();
  const loading = getDocument({
    // Copy, because the library takes ownership.
    data: new Uint8Array(bytes),
    verbosity: 0,
    maxImageSize: 1, // decodes no images
    disableFontFace: true,
    isEvalSupported: false,
    useSystemFonts: true,
  });
  try {
    const document: PdfDocument = await loading.promise;
    const count = document.numPages;
    const parts: PdfPart[] = [];
    const add = (part: PdfPart) => {
      parts.push(part);
      onPart(part);
    };
    const front = isOwn ? await readFront(document) : null;
    add({ count, front, chapters: await readChapters(document) });
    const isBold = new Map<string, boolean>();
    const until = performance.now() + PARSING_MS;
    const end = !isOwn ? Math.min(count, MAX_PAGES) : count > MAX_OWN_PAGES ? 0 : count;
    for (let number = 1; number <= end && performance.now() <= until; number += 1) {
      add(await readPage(document, number, isBold).catch(() => null));
    }
    return parts;
  } finally {
    await loading.destroy().catch(() => undefined);
  }
}

/** The library needs an ES2024 method that Node 20 lacks. */
function polyfillNode20(): void {
  if ('transferToFixedLength' in ArrayBuffer.prototype) return;
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    configurable: true,
    writable: true,
    value(this: ArrayBuffer, length?: number) {
      return this.slice(0, length);
    },
  });
}

function readSections(pages: readonly PdfPage[], chapters: readonly Chapter[]): TextSection[] {
  const all = toLines(dropLineNumbers(pages));
  const heights = pages.map(({ height }) => height);
  const text = dropContents(dropMargins(all, heights).flat()).flatMap(splitAbstract);
  const { lines, titles } = markChapters(text, chapters);
  const setting = readSetting(lines);
  const compounds = collectCompounds(lines);
  return toSections(toParts(dropFront(toBlocks(lines, setting, titles)), compounds));
}

/** The prevailing size, font and leading, weighted by text length. */
function readSetting(lines: readonly Line[]): Setting {
  const lengthOf = (some: readonly Line[]) => sum(some, ({ text }) => text.length);
  const sizes = rollup(lines, lengthOf, (line) => Math.round(line.size * 10) / 10);
  const size = mostCommon(sizes) ?? 10;
  const body = lines.filter((line) => Math.abs(line.size - size) < 0.3);
  const gaps = body.slice(1).map((line, at) => ({ line, gap: (body[at]?.y ?? 0) - line.y }));
  const leadings = rollup(
    gaps.filter(({ gap }) => gap > 0.8 * size && gap < 3 * size),
    (some) => lengthOf(some.map(({ line }) => line)),
    ({ gap }) => Math.round(gap * 5) / 5,
  );
  const font = mostCommon(rollup(body, lengthOf, (line) => line.font)) ?? '';
  return { size, font, leading: mostCommon(leadings) ?? 1.2 * size };
}

function mostCommon<T>(counts: ReadonlyMap<T, number>): T | undefined {
  return greatest(counts, ([, count]) => count)?.[0];
}
