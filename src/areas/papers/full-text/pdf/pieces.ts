import type { getDocumentProxy } from 'unpdf';
import { cleanPiece } from '../sections/sections.ts';

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type LibraryPage = Awaited<ReturnType<PdfDocument['getPage']>>;
type Content = Awaited<ReturnType<LibraryPage['getTextContent']>>;
type TextItem = Extract<Content['items'][number], { str: string }>;

/** A span of text in one font. Lengths in points; `y` is the baseline, measured upwards. */
export interface Piece {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  /** The library's id for the font. */
  font: string;
  bold: boolean;
}

/** One page, turned upright. */
export interface PdfPage {
  height: number;
  pieces: Piece[];
}

const MAX_ITEMS = 20_000;
const BOLD =
  /bold|black|heavy|medi(?:um)?$|[-,.]medi|demi|(?:^|\+)(?:cmb|cmssbx|ecbx|sfbx|ebx|lmb|bx)|-b$|\.b$/i;

/** Reads the text of a page. `isBold` caches whether each font's name marks it as bold. */
export async function readPage(
  document: PdfDocument,
  number: number,
  isBold: Map<string, boolean>,
): Promise<PdfPage> {
  const page = await document.getPage(number);
  try {
    const textItems = await readTextItems(page);
    if (textItems.length < MAX_ITEMS) {
      await nameFonts(page, new Set(textItems.map((item) => item.fontName)), isBold);
    }
    const isTurned = readsUpwards(textItems);
    const [left = 0, bottom = 0, right = 0, top = 0] = page.view.map(Number);
    const pieces: Piece[] = [];
    for (const item of textItems) {
      const text = normaliseText(item.str);
      // The library guesses where to add blank items, even inside numbers; gaps are more reliable.
      if (text.trim() === '') continue;
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = item.transform.map(Number);
      const [along, across] = isTurned ? [b, a] : [a, b];
      // Rotated text is a stamp, a watermark or an axis label.
      if (!(along > 0) || Math.abs(across) > 0.05 * along) continue;
      const size = (isTurned ? Math.hypot(a, c) : Math.hypot(c, d)) || along;
      const [x, y] = isTurned ? [f, right - e] : [e, f - bottom];
      if (![x, y, size, item.width].every(Number.isFinite)) continue;
      const bold = isBold.get(item.fontName) ?? false;
      pieces.push({ text, x, y, width: Math.abs(item.width), size, font: item.fontName, bold });
    }
    return { height: isTurned ? right - left : top - bottom, pieces };
  } finally {
    page.cleanup();
  }
}

/** Streams items up to the limit; a page with more is a drawing, or repeats a form endlessly. */
async function readTextItems(page: LibraryPage): Promise<TextItem[]> {
  const reader = page.streamTextContent().getReader();
  const textItems: TextItem[] = [];
  while (textItems.length <= MAX_ITEMS) {
    const { done, value } = await reader.read();
    if (done) return textItems;
    const { items }: Content = value;
    for (const item of items) if ('str' in item) textItems.push(item);
  }
  await reader.cancel(new Error('too many items'));
  return textItems.slice(0, MAX_ITEMS);
}

/** Whether most text on a page runs upwards, as with a rotated table. */
function readsUpwards(textItems: readonly TextItem[]): boolean {
  let [up, all] = [0, 0];
  for (const { str, transform } of textItems) {
    const [a, b] = [Number(transform[0]), Number(transform[1])];
    if (b > Math.abs(a)) up += str.length;
    all += str.length;
  }
  return 3 * up > 2 * all;
}

/** Spells out ligatures and drops invisible characters; keeps a space at either end. */
function normaliseText(text: string): string {
  const words = text
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC'))
    // A soft hyphen shows only at the end of a line.
    .replace(/\u00ad$/, '-');
  return cleanPiece(words);
}

/** Adds fonts to `isBold`. Their names load only with the page's operator list. */
async function nameFonts(page: LibraryPage, fonts: Set<string>, isBold: Map<string, boolean>) {
  const unnamed = [...fonts].filter((font) => !isBold.has(font));
  if (unnamed.length > 0) await page.getOperatorList().catch(() => null);
  for (const font of unnamed) {
    const data: unknown = page.commonObjs.has(font) ? page.commonObjs.get(font) : null;
    const name = data !== null && typeof data === 'object' && 'name' in data ? data.name : '';
    isBold.set(font, typeof name === 'string' && BOLD.test(name));
  }
}
