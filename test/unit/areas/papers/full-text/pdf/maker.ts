import { readPdf } from '../../../../../../src/areas/papers/full-text/pdf/pdf.ts';
import type { TextSection } from '../../../../../../src/areas/papers/full-text/sections/sections.ts';
import { lines, makePdf, type Print } from '../../../../../stand-ins/pdf.ts';

/** Lines of ten-point text, about four inches wide; the first 19 are all different. */
export function prose(count: number, from = 0, words = 11): string[] {
  return Array.from({ length: count }, (_, at) => {
    const line = Array.from(
      { length: words },
      (_, word) => WORDS[(at * 7 + from + word * 3) % WORDS.length],
    );
    return line.join(' ');
  });
}

const WORDS =
  'market returns follow every shock while traders weigh risk against price of bonds and stocks over many quiet days'.split(
    ' ',
  );

export const bold = (y: number, text: string, x = 72): Print => ({ x, y, text, font: 'bold' });

export const heading = (y: number, text: string): Print => ({ ...bold(y, text), size: 14 });

/** A last page that makes a document long enough to be a paper. */
export const FILLING: Print[] = [heading(700, 'Discussion'), ...lines(676, prose(30))];

/** Cells of a row, side by side. */
export const cells = (y: number, texts: readonly string[], step: number, x = 72): Print[] =>
  texts.map((text, at) => ({ x: x + step * at, y, text }));

/** The sections of the pages, without the filler. */
export async function readPages(...pages: Print[][]): Promise<TextSection[]> {
  const result = await readPdf(makePdf([...pages, FILLING]));
  if (!result.ok) throw new Error(result.reason);
  return result.sections.slice(0, -1);
}

/** The titles and contents of the pages' sections, without the filler. */
export async function contentsOf(...pages: Print[][]): Promise<[string, string][]> {
  return (await readPages(...pages)).map(({ title, content }) => [title, content]);
}

/** The text that is read from a section of these lines and prints. */
export async function textOf(...content: readonly (string | Print)[]): Promise<string> {
  const texts = content.filter((one) => typeof one === 'string');
  const prints = content.filter((one) => typeof one !== 'string');
  const page = [heading(740, '1 Introduction'), ...lines(720, texts), ...prints];
  return (await contentsOf(page))[0]?.[1] ?? '';
}
