import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  degrees,
  PDFDocument,
  type PDFFont,
  PDFHexString,
  PDFName,
  type PDFPage,
  StandardFonts,
} from 'pdf-lib';
import { writeFile } from './pdf.ts';

/** A line on a first page: its text, size in points, and style. */
export interface PdfLine {
  text: string;
  size?: number;
  bold?: boolean;
}

interface PdfPaper {
  front: readonly PdfLine[];
  /** Paragraphs under a heading, after the front matter. */
  sections?: readonly (readonly [heading: string, text: string])[];
  metadata?: { title?: string; author?: string };
  /** In the margin, upwards, as arXiv prints it. */
  stamp?: string;
  /** At the foot of the first page. */
  foot?: string;
  pages?: number;
  /** Whether bookmarks lead to the sections. */
  outline?: boolean;
  /** Each section starts a page, under a two-line heading, and each page has this many lines. */
  linesPerPage?: number;
}

/** Fictional prose, to look for in searches and requests. */
export const PROSE =
  'The dealer holds inventory against a stream of informed orders and sets quotes that widen with risk. ' +
  'We estimate the model on trades of one exchange and find that spreads follow inventory within minutes. ';

/** A PDF made of text alone. */
export async function makePdf(paper: PdfPaper): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const [plain, bold] = await Promise.all(
    [StandardFonts.TimesRoman, StandardFonts.TimesRomanBold].map((name) =>
      document.embedFont(name),
    ),
  );
  if (plain === undefined || bold === undefined) throw new Error('no fonts');
  let page = document.addPage([612, 792]);
  let y = 730;
  const { linesPerPage } = paper;
  const top = linesPerPage === undefined ? 730 : 600;
  const bottom = linesPerPage === undefined ? 72 : top + 1 - 13 * linesPerPage;
  const turn = () => {
    page = document.addPage([612, 792]);
    y = top;
  };
  const draw = ({ text, size = 10, bold: isBold = false }: PdfLine, x = 72) => {
    if (y < bottom) turn();
    page.drawText(text, { x, y, size, font: isBold ? bold : plain });
    y -= 1.3 * size;
  };
  for (const line of paper.front) {
    draw(line);
    if ((line.size ?? 10) > 12) y -= 4;
  }
  const marks: [title: string, page: PDFPage][] = [];
  for (const [heading, text] of paper.sections ?? [['1 Introduction', PROSE.repeat(20)]]) {
    y -= 8;
    if (linesPerPage !== undefined) turn();
    marks.push([heading, page]);
    for (const line of heading.split('\n')) {
      draw({ text: line, size: linesPerPage === undefined ? 12 : 18, bold: true });
    }
    for (const text1 of wrap(text, plain)) draw({ text: text1 });
  }
  if (paper.outline === true) addOutline(document, marks);
  const [first] = document.getPages();
  if (paper.stamp !== undefined) {
    first?.drawText(paper.stamp, { x: 30, y: 250, size: 20, font: plain, rotate: degrees(90) });
  }
  if (paper.foot !== undefined) first?.drawText(paper.foot, { x: 72, y: 40, size: 8, font: plain });
  while (document.getPageCount() < (paper.pages ?? 0)) document.addPage([612, 792]);
  const { title, author } = paper.metadata ?? {};
  if (title !== undefined) document.setTitle(title);
  if (author !== undefined) document.setAuthor(author);
  return document.save();
}

/** Adds bookmarks, which the library cannot write itself. */
function addOutline({ context, catalog }: PDFDocument, marks: readonly [string, PDFPage][]): void {
  const [root, ...refs] = [undefined, ...marks].map(() => context.nextRef());
  const [First, Last] = [refs[0], refs.at(-1)];
  if (root === undefined || First === undefined || Last === undefined) return;
  for (const [at, [title, page]] of marks.entries()) {
    const ref = refs[at] ?? First;
    const Next = refs[at + 1];
    const item = { Title: PDFHexString.fromText(title), Parent: root, Dest: [page.ref, 'Fit'] };
    context.assign(ref, context.obj({ ...item, ...(Next === undefined ? {} : { Next }) }));
  }
  context.assign(root, context.obj({ Type: 'Outlines', First, Last, Count: marks.length }));
  catalog.set(PDFName.of('Outlines'), root);
}

function wrap(text: string, font: PDFFont): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (font.widthOfTextAtSize(`${line} ${word}`, 10) > 460) {
      lines.push(line);
      line = word;
    } else line = `${line} ${word}`.trim();
  }
  return [...lines, line];
}

const ABSTRACT = [
  { text: 'Abstract', size: 11, bold: true },
  {
    text: 'We study how dealers quote when orders are informed and inventory is costly. A model of',
  },
  { text: 'quotes is estimated on trades, and its spreads explain most of what the market shows.' },
];
interface OddPaper {
  paper: PdfPaper;
  /** The facts that a reader would extract. */
  stated: { title: string; authors: string[]; sourceId?: string; year?: string };
}

interface Printed extends Omit<PdfPaper, 'front'> {
  title: readonly string[];
  by: readonly string[];
  /** Lines above the title and below the authors. */
  above?: readonly PdfLine[];
  below?: readonly string[];
}

/** A paper with a title, authors and an abstract, a line of text each. */
function makeOdd(
  { title, by, above = [], below = [], ...more }: Printed,
  stated: Omit<OddPaper['stated'], 'title'> & { title?: string },
): OddPaper {
  const front = [
    ...above,
    ...title.map((text) => ({ text, size: 18, bold: true })),
    ...by.map((text) => ({ text, size: 12 })),
    ...below.map((text) => ({ text })),
    ...ABSTRACT,
  ];
  return { paper: { front, ...more }, stated: { title: title.join(' '), ...stated } };
}

/** Papers as found in folders; a fact that one does not state is absent or empty. */
export const ODD_PAPERS: Readonly<Record<string, OddPaper>> = {
  'plain.pdf': makeOdd(
    {
      title: ['Quoting under Informed Flow'],
      by: ['Ada Example and Ben Muster'],
      below: ['May 2019'],
    },
    { authors: ['Ada Example', 'Ben Muster'], year: '2019' },
  ),
  'metadata.pdf': makeOdd(
    {
      title: ['Inventory and', 'the Price of Waiting'],
      by: ['Chiara di Prova'],
      metadata: { title: 'Inventory and the Price of Waiting', author: 'Chiara di Prova' },
    },
    { authors: ['Chiara di Prova'] },
  ),
  'word.pdf': makeOdd(
    {
      title: ['Liquidity after the Close'],
      by: ['Dana Q. Sample', 'Essex University'],
      metadata: { title: 'Microsoft Word - draft_v7_final.docx', author: 'Administrator' },
    },
    { authors: ['Dana Q. Sample'] },
  ),
  'marks.pdf': makeOdd(
    {
      title: ['Spreads, Stress', 'and Dealers of Last Resort'],
      by: ['Erik Test*, Fay van der Probe†, and G. H. Specimen‡'],
      below: ['Institute of Made Examples, Nowhere', '*Corresponding author: erik@example.org'],
      foot: 'Made Results, pages 84-91, Nowhere, June 1 - 6, 2018.',
    },
    { authors: ['Erik Test', 'Fay van der Probe', 'G. H. Specimen'], year: '2018' },
  ),
  'stamped.pdf': makeOdd(
    {
      title: ['A Stamped Paper on Rates'],
      by: ['Hal Beispiel'],
      stamp: 'arXiv:2609.01234v2 [q-fin.TR] 3 Sep 2026',
    },
    { authors: ['Hal Beispiel'], sourceId: 'arxiv:2609.01234', year: '2026-09' },
  ),
  'journal.pdf': makeOdd(
    {
      above: [{ text: 'Journal of Made Results 12 (2015) 1-20' }],
      title: ['Volatility of Made Series'],
      by: ['IDA ESEMPIO, JAN VOORBEELD'],
      foot: 'https://doi.org/10.5555/Made.2015.12 © 2015 Made Results',
    },
    {
      authors: ['Ida Esempio', 'Jan Voorbeeld'],
      sourceId: 'doi:10.5555/made.2015.12',
      year: '2015',
    },
  ),
  'série.pdf': makeOdd(
    { title: ['Économétrie des carnets d’ordres'], by: ['Émile Dupré-Lézard'] },
    { authors: ['Émile Dupré-Lézard'] },
  ),
  'working.pdf': makeOdd(
    {
      above: [
        { text: 'MADE BUREAU WORKING PAPER SERIES', size: 18, bold: true },
        { text: '' },
        { text: '' },
      ],
      title: ['Term Premia without Terms'],
      by: ['Kim Ornek', 'Lu Mostra'],
      below: ['Working Paper 12345, March 2021'],
      // Its own DOI is not printed; this is another paper's.
      sections: [
        ['1 Introduction', `We follow https://doi.org/10.5555/other.1 here. ${PROSE.repeat(20)}`],
      ],
    },
    { authors: ['Kim Ornek', 'Lu Mostra'], year: '2021' },
  ),
  'note.pdf': {
    paper: {
      front: [{ text: 'A broker writes about the week in one size and one font.' }],
      sections: [['', PROSE.repeat(20)]],
    },
    stated: { title: 'Untitled document', authors: [] },
  },
  'unsure.pdf': makeOdd(
    {
      title: ['Who Wrote This Memo on Carry'],
      by: ['Mia Voorbeeld', 'lu lamu as one of many', 'Noa Exemplo'],
    },
    { authors: [] },
  ),
};

/** A book of 600 pages, with chapters under these headings, which may also be bookmarks. */
export async function makeBook(chapters: readonly string[], outline = false): Promise<Uint8Array> {
  return makePdf({
    front: [
      { text: 'A Made Book of Market Making', size: 18, bold: true },
      { text: 'Ada Example', size: 12 },
    ],
    sections: chapters.map((heading) => [heading, PROSE.repeat(60)]),
    linesPerPage: 3,
    pages: 600,
    outline,
  });
}

/** Files without readable text. */
export async function unreadablePdfs(): Promise<Record<string, Uint8Array>> {
  const scan = await makePdf({ front: [], sections: [['', '']], pages: 3 });
  const long = await makePdf({ front: [{ text: 'A Long Book', size: 18 }], pages: 1_501 });
  const whole = await makePdf({ front: [{ text: 'A Whole Paper', size: 18 }, ...ABSTRACT] });
  return {
    'scan.pdf': scan,
    'long.pdf': long,
    'damaged.pdf': whole.slice(0, 200),
    'encrypted.pdf': encrypted(),
  };
}

/** A PDF that requires a password; its hashes match none. */
function encrypted(): Uint8Array {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>',
    `<< /Filter /Standard /V 1 /R 2 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> /P -4 >>`,
  ];
  const id = `<${'01'.repeat(16)}>`;
  return writeFile(objects, `/Encrypt 4 0 R /ID [${id} ${id}]`);
}

/** Writes the odd papers into a folder. */
export async function writeOddPapers(folder: string): Promise<void> {
  for (const [name, { paper }] of Object.entries(ODD_PAPERS)) {
    writeFileSync(join(folder, name), await makePdf(paper));
  }
}
