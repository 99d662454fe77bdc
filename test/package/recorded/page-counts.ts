import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

/** Counts of items on a page, and how many of each a reading contains. */
export interface Count {
  page: number;
  found: number;
}

export interface Counts {
  words: Count;
  /** Words that the reading has more often than the page. */
  extra: number;
  formulas: Count;
}

/** Compares a reading, as one text, with a page whose words and formulas are found by independent rules. */
export function countPage(html: string, markdown: string): Counts {
  const page = readPage(html);
  const words = wordsOf(proseOf(markdown));
  const reading = normalise(markdown.replace(/^(?:> ?)+/gm, ''));
  const formulas = page.formulas.filter((tex) => reading.includes(tex));
  return {
    words: { page: page.words.length, found: countShared(page.words, words) },
    extra: words.length - countShared(words, page.words),
    formulas: { page: page.formulas.length, found: formulas.length },
  };
}

/** How many of the items are in the pool, using each pool item once. */
function countShared(items: readonly string[], pool: readonly string[]): number {
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
    if (normalise(tex) !== '') formulas.push(normalise(tex));
    text.push(wordsOfTex(tex));
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
  const article =
    /<article[\s>][\s\S]*<\/article>/.exec(html) ??
    /<div class="ltx_document[\s\S]*(?=<div class="ltx_page_footer)/.exec(html);
  return article?.[0] ?? '';
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
  const isTick = element.tagName === 'foreignObject' && !/\p{L}/u.test(textOf(element, true));
  return isBullet || isTick || hasClass(element, ...LEFT_OUT);
}

function hasClass(element: Element, ...names: string[]): boolean {
  const classes = attributeOf(element, 'class').split(/\s+/);
  return classes.some((name) => names.includes(name));
}

function attributeOf(element: Element, name: string): string {
  return element.attrs.find((attr) => attr.name === name)?.value ?? '';
}

function textOf(node: Node, withTex = false): string {
  if ('value' in node) return node.value;
  if (!('tagName' in node)) return '';
  const own = withTex ? attributeOf(node, 'data-tex') : '';
  return own + node.childNodes.map((child) => textOf(child, withTex)).join('');
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

/** The words of a formula. */
function wordsOfTex(tex: string): string {
  return tex && ` ${[...tex.matchAll(/\\text\{([^{}]*)\}/g)].map(([, words]) => words).join(' ')} `;
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
