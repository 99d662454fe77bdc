import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

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
}

/** A reading as one text, held against a page whose words and formulas are found by independent rules. */
export function countPage(html: string, markdown: string): Counts {
  const page = readPage(html);
  const words = wordsOf(proseOf(markdown));
  return {
    words: { page: page.words.length, found: shared(page.words, words) },
    extra: words.length - shared(words, page.words),
    formulas: { page: page.formulas.length, found: foundFormulas(page.formulas, markdown) },
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

function readPage(html: string): { words: string[]; formulas: string[] } {
  const formulas: string[] = [];
  const text: string[] = [];
  const visit = (node: Node) => {
    if ('value' in node) text.push(node.value);
    if (!('tagName' in node)) return;
    if (isLeftOut(node)) {
      text.push(' ');
      return;
    }
    const tex = attributeOf(node, 'data-tex');
    if (tex !== null && normalise(tex) !== '') formulas.push(normalise(tex));
    if (tex !== null) text.push(wordsOfTex(tex));
    const isApart =
      !INLINE.has(node.tagName) || hasClass(node, 'ltx_p', 'ltx_bibblock', 'ltx_note');
    if (isApart) text.push(' ');
    for (const child of node.childNodes) visit(child);
    if (isApart) text.push(' ');
  };
  for (const node of parseFragment(withoutMathMl(articleOf(html))).childNodes) visit(node);
  return { words: wordsOf(text.join('')), formulas };
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

function classesOf(element: Element): string[] {
  return (attributeOf(element, 'class') ?? '').split(/\s+/);
}

function hasClass(element: Element, ...names: string[]): boolean {
  return classesOf(element).some((name) => names.includes(name));
}

function attributeOf(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'tagName' in node ? node.childNodes.map(textOf).join('') : '';
}

/** The formulas of Markdown, without white space. */
interface Formulas {
  inline: string[];
  /** One entry per row of a displayed group, with its cells joined. */
  rows: string[];
  /** TeX without delimiters in listings and fenced tables. */
  bare: string[];
}

/** A normal form of TeX, for comparison. */
function normalise(tex: string): string {
  return tex
    .replace(/%[ \t]*\n\s*/g, '')
    .replace(/\\displaystyle(?![a-zA-Z])/g, '')
    .replace(/(\\begin\{array\})\[\]/g, '$1')
    .replace(/\\mathbbm(?![a-zA-Z])/g, '\\mathbb')
    .replace(/\\vert(?![a-zA-Z])/g, '|')
    .replace(/\\Vert(?![a-zA-Z])/g, '\\|')
    .replace(/\\[()]|\$/g, '')
    .replace(/[\s&\u00ad\u200b-\u200f\u2060-\u2064]/g, '')
    .normalize('NFC');
}

/** The formulas of Markdown, by their dollar signs. */
function formulasOfMarkdown(markdown: string): Formulas {
  const formulas: Formulas = { inline: [], rows: [], bare: [] };
  const plain = markdown.replace(/^(?:> ?)+/gm, '');
  const withoutCode = plain.replace(/^([ >]*)(`{3,})[^\n]*\n[\s\S]*?\n[ >]*\2$/gm, (code) => {
    formulas.bare.push(normalise(code));
    return '';
  });
  const withoutBlocks = withoutCode.replace(
    /^[^\S\n]*(?:[-*>] |\d+[.)] )*\$\$\n([\s\S]*?)\n[^\S\n]*\$\$$/gm,
    (_, block: string) => {
      const body = block
        .replace(/\\tag\*?\{.*\}/g, '')
        .replace(/^\s*\\(?:begin|end)\{aligned\}$/gm, '')
        .replace(/ \\qquad /g, ' ');
      for (const line of body.split(/ \\\\\n/)) {
        const tex = normalise(line);
        if (tex !== '') formulas.rows.push(tex);
      }
      return '';
    },
  );
  const TOKEN = /\\[\s\S]|(`+)[^`][\s\S]*?[^`]?\1(?!`)|(\$+)([\s\S]*?[^$])\2(?!\$)/g;
  for (const [, , dollars, tex] of withoutBlocks.matchAll(TOKEN)) {
    if (dollars !== undefined && tex !== undefined) formulas.inline.push(normalise(tex));
  }
  return formulas;
}

/** The words of a formula. */
function wordsOfTex(tex: string): string {
  return ` ${[...tex.matchAll(/\\text\{([^{}]*)\}/g)].map(([, words]) => words).join(' ')} `;
}

function wordsOf(text: string): string[] {
  return text.normalize('NFKC').match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}

/** Markdown without formulas, URLs and note marks. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/\$\$[\s\S]*?\$\$|(?<!\\)\$(?:\\[\s\S]|[^$\\])*\$/g, wordsOfTex)
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/\[\^[^\]]*\]:?/g, ' ')
    .replace(/\\[!-~]/g, ' ')
    .replace(/[*`]/g, '');
}

/** Formulas of the page that are in the text: inline ones exactly, others inside a displayed block. */
function foundFormulas(formulas: readonly string[], markdown: string): number {
  const { inline, rows, bare } = formulasOfMarkdown(markdown);
  const left = new Map<string, number>();
  for (const tex of inline) left.set(tex, (left.get(tex) ?? 0) + 1);
  let pool = [...rows, ...bare].join('\n');
  const longestFirst = [...formulas].sort((one, other) => other.length - one.length);
  return longestFirst.filter((tex) => {
    const count = left.get(tex) ?? 0;
    if (count > 0) {
      left.set(tex, count - 1);
      return true;
    }
    if (!pool.includes(tex)) return false;
    pool = pool.replace(tex, () => '\u0001');
    return true;
  }).length;
}
