import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import {
  foundFormulas,
  headingsOf,
  normalise,
  plain,
  proseOf,
  tablesOf,
  wordsOf,
  wordsOfTex,
  worksOf,
} from './markdown-counts.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

/** Counts of a page, and how many of each a reading contains. */
export interface Count {
  page: number;
  found: number;
}

export interface Counts {
  words: Count;
  /** Words of the reading that the page does not have, or has less often. */
  extra: number;
  formulas: Count;
  headings: Count;
  tables: Count;
  cells: Count;
  footnotes: Count;
  references: Count;
}

/** Contents of a paper's page, counted on its markup by independent rules. */
interface Page {
  words: string[];
  formulas: string[];
  /** Each with and without its number. */
  headings: string[][];
  tables: number;
  cells: number;
  footnotes: number;
  references: number;
}

/** A reading as one text, with each title as a heading above its content. */
export function countPage(html: string, markdown: string): Counts {
  const page = readPage(html);
  const tables = tablesOf(markdown);
  const headings = headingsOf(markdown);
  const words = wordsOf(proseOf(markdown));
  return {
    words: { page: page.words.length, found: shared(page.words, words) },
    extra: words.length - shared(words, page.words),
    formulas: { page: page.formulas.length, found: foundFormulas(page.formulas, markdown) },
    headings: {
      page: page.headings.length,
      found: page.headings.filter((names) => names.some((name) => headings.has(name))).length,
    },
    tables: { page: page.tables, found: tables.length },
    cells: { page: page.cells, found: tables.flat(2).filter((cell) => /\S/.test(cell)).length },
    footnotes: { page: page.footnotes, found: markdown.match(/^\[\^[^\]]+\]: /gm)?.length ?? 0 },
    references: { page: page.references, found: worksOf(markdown) },
  };
}

/** How many of the items are in the pool, each item of the pool used once. */
function shared(items: readonly string[], pool: readonly string[]): number {
  const left = new Map<string, number>();
  for (const item of pool) left.set(item, (left.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count > 0;
  }).length;
}

/** Not text of the paper, or counted separately: marks, numbers, contents, authors. */
const LEFT_OUT = new Set(
  `ltx_title_document ltx_authors ltx_dates ltx_date ltx_creator ltx_pagination ltx_rdf ltx_ERROR
   ltx_TOC ltx_toclist ltx_note_mark ltx_note_type ltx_tag_note ltx_role_footnotemark
   ltx_note_frontmatter ltx_role_institutetext ltx_role_email
   ltx_tag_equation ltx_tag_equationgroup ltx_tag_listingline ltx_bib_cited`.split(/\s+/),
);
const INLINE = new Set('span a em b i u cite sup sub strong tt code var x-tex'.split(' '));

function readPage(html: string): Page {
  const page: Page = {
    words: [],
    formulas: [],
    headings: [],
    tables: 0,
    cells: 0,
    footnotes: 0,
    references: 0,
  };
  const text: string[] = [];
  const visit = (node: Node) => {
    if ('value' in node) text.push(node.value);
    if (!('tagName' in node)) return;
    if (isLeftOut(node)) {
      text.push(' ');
      return;
    }
    const tex = attributeOf(node, 'data-tex');
    if (tex !== null && normalise(tex) !== '') page.formulas.push(normalise(tex));
    if (tex !== null) text.push(wordsOfTex(tex));
    countElement(node, page);
    const isApart =
      !INLINE.has(node.tagName) || hasClass(node, 'ltx_p', 'ltx_bibblock', 'ltx_note');
    if (isApart) text.push(' ');
    for (const child of node.childNodes) visit(child);
    if (isApart) text.push(' ');
  };
  for (const node of parseFragment(withoutMathMl(articleOf(html))).childNodes) visit(node);
  page.words = wordsOf(text.join(''));
  return page;
}

/** LaTeXML writes one article; before 2015 it was a `div` before the footer. */
function articleOf(html: string): string {
  const article = /<article[\s>][\s\S]*<\/article>/.exec(html)?.[0];
  return (
    article ??
    /<div class="ltx_document[\s\S]*(?=<div class="ltx_page_footer)/.exec(html)?.[0] ??
    ''
  );
}

/** Each formula as an empty element with its TeX. These pages have no nested formulas. */
function withoutMathMl(html: string): string {
  return html.replace(
    /<math\b([^>]*)>([\s\S]*?)<\/math>/g,
    (_, attributes: string, body: string) => {
      const shown = body.replace(/<annotation[\s\S]*/, '').replace(/<[^>]*>/g, '');
      const tex = /alttext="([^"]*)"/.exec(attributes)?.[1] ?? shown;
      return `<x-tex data-tex="${tex}"></x-tex>`;
    },
  );
}

function countElement(element: Element, page: Page): void {
  if (/^h[1-6]$/.test(element.tagName)) page.headings.push(namesOf(element));
  if (isTable(element)) {
    page.tables += 1;
    page.cells += cellsOf(element).reduce((sum, cell) => sum + rowsOf(cell), 0);
  }
  if (hasClass(element, 'ltx_note')) page.footnotes += 1;
  if (hasClass(element, 'ltx_bibitem')) page.references += 1;
}

/** A data table: more than one column, not inside another table, not an equation. */
function isTable(element: Element): boolean {
  if (!hasClass(element, 'ltx_tabular')) return false;
  return (
    ancestors(element).every((parent) => !hasClass(parent, 'ltx_tabular')) &&
    descendants(element).some((row) => row.childNodes.filter(isCell).length > 1)
  );
}

function cellsOf(table: Element): Element[] {
  return descendants(table).filter(
    (cell) =>
      isCell(cell) &&
      ancestors(cell).find((parent) => hasClass(parent, 'ltx_tabular')) === table &&
      (/\S/.test(textOf(cell)) || holdsFormula(cell)),
  );
}

/** A tall cell is repeated in each of its rows. */
function rowsOf(cell: Element): number {
  return Number(attributeOf(cell, 'rowspan') ?? 1);
}

function holdsFormula(element: Element): boolean {
  return descendants(element).some((child) => attributeOf(child, 'data-tex') !== null);
}

function isCell(node: Node): node is Element {
  return 'tagName' in node && /^t[dh]$/.test(node.tagName);
}

function isLeftOut(element: Element): boolean {
  const isBullet = hasClass(element, 'ltx_tag_item') && !/[\p{L}\p{N}]/u.test(textOf(element));
  const isTick = isInDrawing(element) && !/\p{L}/u.test(textOf(element) + texOf(element));
  return isBullet || isTick || classesOf(element).some((name) => LEFT_OUT.has(name));
}

function isInDrawing(element: Element): boolean {
  return element.tagName === 'foreignObject';
}

function texOf(element: Element): string {
  return descendants(element)
    .map((child) => attributeOf(child, 'data-tex') ?? '')
    .join(' ');
}

function descendants(element: Element): Element[] {
  return element.childNodes.flatMap((child) =>
    'tagName' in child ? [child, ...descendants(child)] : [],
  );
}

function ancestors(element: Element): Element[] {
  const parent = element.parentNode;
  return parent !== null && 'tagName' in parent ? [parent, ...ancestors(parent)] : [];
}

function classesOf(element: Element): string[] {
  return (attributeOf(element, 'class') ?? '').split(/\s+/);
}

function hasClass(element: Element, ...names: string[]): boolean {
  return classesOf(element).some((name) => names.includes(name));
}

function attributeOf(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

function textOf(node: Node, leavesOut: readonly string[] = []): string {
  if ('value' in node) return node.value;
  if (!('tagName' in node) || hasClass(node, ...leavesOut)) return '';
  return node.childNodes.map((child) => textOf(child, leavesOut)).join('');
}

function namesOf(heading: Element): string[] {
  return [['ltx_note'], ['ltx_note', 'ltx_tag']]
    .map((leavesOut) => plain(textOf(heading, leavesOut)))
    .filter((name) => name !== '');
}
