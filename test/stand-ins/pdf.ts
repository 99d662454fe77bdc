/** The fonts of a test document. */
export type FontName = 'plain' | 'bold' | 'italic';

/** A piece of text; `x` and `y` are the start of its baseline, in points from the bottom left. */
export interface Print {
  x: number;
  y: number;
  text: string;
  size?: number;
  font?: FontName;
  /** Whether the text runs up the page. */
  isUpright?: boolean;
}

/** U+0001 to U+0005 print fi, fl, a bullet, an em dash and an en dash. */
const ENCODING =
  '<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl 3 /bullet 4 /emdash /endash] >>';
const FONTS: Record<FontName, string> = {
  plain: 'Times-Roman',
  bold: 'Times-Bold',
  italic: 'Times-Italic',
};

/** A minimal PDF: Letter pages with text in three fonts. `trailer` adds entries. */
export function makePdf(pages: readonly (readonly Print[])[], trailer = ''): Uint8Array {
  const names: FontName[] = ['plain', 'bold', 'italic'];
  const fonts = names.map(
    (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${FONTS[name]} /Encoding ${ENCODING} >>`,
  );
  const firstPage = 3 + fonts.length;
  const kids = pages.map((_, at) => `${firstPage + 2 * at} 0 R`).join(' ');
  const resources = `<< /Font << ${names.map((name, at) => `/${name} ${3 + at} 0 R`).join(' ')} >> >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 612 792] >>`,
    ...fonts,
    ...pages.flatMap((prints, at) => {
      const content = prints.map(draw).join('\n');
      return [
        `<< /Type /Page /Parent 2 0 R /Resources ${resources} /Contents ${firstPage + 2 * at + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return writeFile(objects, trailer);
}

/** Words in the innermost form: with more of them, the reader stops after fewer forms. */
const WORDS_IN_FORM = 100;

/** A page that draws these words 2^`depth` times: each form draws the next one twice. */
export function makeForms(depth: number): Uint8Array {
  const resources = (form: number) =>
    `/Resources << /Font << /F 4 0 R >> /XObject << /X ${form} 0 R >> >>`;
  const forms = Array.from({ length: depth + 1 }, (_, at) => {
    const words = '(word) Tj 0 -6 Td '.repeat(WORDS_IN_FORM);
    const content = at === depth ? `BT /F 10 Tf 72 700 Td ${words}ET` : '/X Do /X Do';
    const head = `/Type /XObject /Subtype /Form /BBox [0 0 612 792] ${resources(7 + at)}`;
    return `<< ${head} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  });
  return writeFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>',
    `<< /Type /Page /Parent 2 0 R /Contents 5 0 R ${resources(6)} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>',
    '<< /Length 5 >>\nstream\n/X Do\nendstream',
    ...forms,
  ]);
}

/** A PDF of these objects; the first is the catalogue. `trailer` adds entries. */
export function writeFile(objects: readonly string[], trailer = ''): Uint8Array {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, 'latin1'));
}

function draw({ x, y, text, size = 10, font = 'plain', isUpright = false }: Print): string {
  const escaped = text.replace(/[\\()]/g, '\\$&');
  const matrix = isUpright ? `0 1 -1 0 ${x} ${y}` : `1 0 0 1 ${x} ${y}`;
  return `BT /${font} ${size} Tf ${matrix} Tm (${escaped}) Tj ET`;
}

/** Lines one below the other, the first at `y`, `leading` points apart. */
export function lines(
  y: number,
  texts: readonly string[],
  { x = 72, leading = 12, ...rest }: Partial<Omit<Print, 'text' | 'y'>> & { leading?: number } = {},
): Print[] {
  return texts.map((text, at) => ({ x, y: y - at * leading, text, ...rest }));
}
