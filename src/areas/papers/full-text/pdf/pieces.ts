import type { getDocumentProxy } from 'unpdf';
import { cleanText } from '../../../../core/text.ts';

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type LibraryPage = Awaited<ReturnType<PdfDocument['getPage']>>;
type Content = Awaited<ReturnType<LibraryPage['getTextContent']>>;
type Run = Extract<Content['items'][number], { str: string }>;

/** A run of text in one font. Lengths in points; `y` is the baseline, counted upwards. */
export interface Piece {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  /** The library's id of the font. */
  font: string;
  bold: boolean;
}

/** One page, turned upright. */
export interface PdfPage {
  height: number;
  pieces: Piece[];
}

/** Longest page, in runs of text. */
const MAX_RUNS = 20_000;
const BOLD =
  /bold|black|heavy|medi(?:um)?$|[-,.]medi|demi|(?:^|\+)(?:cmb|cmssbx|ecbx|sfbx|ebx|lmb|bx)|-b$|\.b$/i;

/** The text of one page. `isBold` caches, by font, whether its name says bold. */
export async function readPage(
  document: PdfDocument,
  number: number,
  isBold: Map<string, boolean>,
): Promise<PdfPage> {
  const page = await document.getPage(number);
  try {
    const runs = await readRuns(page);
    if (runs.length < MAX_RUNS) {
      await nameFonts(page, new Set(runs.map((run) => run.fontName)), isBold);
    }
    const turn = turnOf(runs);
    const pieces: Piece[] = [];
    for (const run of runs) {
      const text = normaliseRun(run.str);
      // The library guesses blank runs, even inside numbers; the gaps are more reliable.
      if (text.trim() === '') continue;
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = run.transform.map(Number);
      const [along, across] = turn === 0 ? [a, b] : turn > 0 ? [b, a] : [-b, a];
      // Slanted text is a stamp, a watermark or an axis label.
      if (!(along > 0) || Math.abs(across) > 0.05 * along) continue;
      const size = Math.hypot(turn === 0 ? c : a, turn === 0 ? d : c) || along;
      const [x, y] = turn === 0 ? [e, f] : turn > 0 ? [f, -e] : [-f, e];
      if (![x, y, size, run.width].every(Number.isFinite)) continue;
      const width = Math.abs(run.width);
      const last = pieces.at(-1);
      const isPart = last !== undefined && LIGATURE.test(text) && touches(last, { x, y, size });
      const font = isPart ? last.font : run.fontName;
      pieces.push({ text, x, y, width, size, font, bold: isBold.get(font) ?? false });
    }
    const [left = 0, bottom = 0, right = 0, top = 0] = page.view.map(Number);
    if (turn === 0) return { height: top - bottom, pieces: move(pieces, bottom) };
    return { height: right - left, pieces: move(pieces, turn > 0 ? -right : left) };
  } finally {
    page.cleanup();
  }
}

/**
 * The runs of a page, as a stream: one that exceeds the limit is a drawing made of letters, or a form
 * that repeats itself endlessly.
 */
async function readRuns(page: LibraryPage): Promise<Run[]> {
  const reader = page.streamTextContent().getReader();
  const runs: Run[] = [];
  while (runs.length <= MAX_RUNS) {
    const { done, value } = await reader.read();
    if (done) return runs;
    const { items }: Content = value;
    for (const item of items) if ('str' in item) runs.push(item);
  }
  await reader.cancel(new Error('too many runs'));
  return runs.slice(0, MAX_RUNS);
}

function move(pieces: Piece[], bottom: number): Piece[] {
  return pieces.map((piece) => ({ ...piece, y: piece.y - bottom }));
}

/** 1 or -1 if most text of a page runs up or down, as on one with a rotated table; else 0. */
function turnOf(runs: readonly { str: string; transform: unknown[] }[]): -1 | 0 | 1 {
  let [level, up, down] = [0, 0, 0];
  for (const { str, transform } of runs) {
    const [a, b] = [Number(transform[0]), Number(transform[1])];
    if (Math.abs(a) > Math.abs(b)) level += str.length;
    else if (b > 0) up += str.length;
    else down += str.length;
  }
  if (up > 2 * (level + down)) return 1;
  return down > 2 * (level + up) ? -1 : 0;
}

/** A lone ligature may come from another font, which is then not a change of style. */
const LIGATURE = /^(?:ff|fi|fl|ffi|ffl|st)$/;

function touches(last: Piece, { x, y, size }: Pick<Piece, 'x' | 'y' | 'size'>): boolean {
  const isLevel = last.y === y && last.size === size;
  return isLevel && Math.abs(x - last.x - last.width) < 0.05 * size;
}

/** Spells out ligatures and drops invisible characters; a space at either end stays. */
function normaliseRun(text: string): string {
  const words = text
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC'))
    // A soft hyphen is printed only at the end of a line.
    .replace(/\u00ad$/, '-');
  const blank = /^\s/.test(words) ? ' ' : '';
  const end = /\s$/.test(words) ? ' ' : '';
  return `${blank}${cleanText(words)}${end}`.normalize('NFC');
}

/** Font names are loaded with a page's operator list, which is fetched only for them. */
async function nameFonts(page: LibraryPage, fonts: Set<string>, isBold: Map<string, boolean>) {
  const unnamed = [...fonts].filter((font) => !isBold.has(font));
  if (unnamed.length > 0) await page.getOperatorList().catch(() => null);
  for (const font of unnamed) {
    const data: unknown = page.commonObjs.has(font) ? page.commonObjs.get(font) : null;
    const name = data !== null && typeof data === 'object' && 'name' in data ? data.name : '';
    isBold.set(font, typeof name === 'string' && BOLD.test(name));
  }
}
