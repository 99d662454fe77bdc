import type { DefaultTreeAdapterTypes } from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

/** The formulas of a page or of Markdown, without white space, in alphabetical order. */
export interface Formulas {
  inline: string[];
  /** One entry per row of a displayed group, with its cells joined. */
  rows: string[];
  /** TeX without delimiters in listings and fenced tables. */
  bare: string[];
}

/** A normal form of TeX, for comparison. */
export function normalise(tex: string): string {
  return tex
    .replace(/%[ \t]*\n\s*/g, '')
    .replace(/\\displaystyle(?![a-zA-Z])/g, '')
    .replace(/\\vert(?![a-zA-Z])/g, '|')
    .replace(/\\Vert(?![a-zA-Z])/g, '\\|')
    .replace(/\\[()]|\$/g, '')
    .replace(/[\s&\u00ad\u200b-\u200f\u2060-\u2064]/g, '')
    .normalize('NFC');
}

const isElement = (node: Node): node is Element => 'tagName' in node;
const classes = (element: Element) =>
  (element.attrs.find(({ name }) => name === 'class')?.value ?? '').split(/\s+/);
const has = (element: Element, ...names: string[]) =>
  classes(element).some((name) => names.includes(name));
const text = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(text).join('') : '';

/** Not part of the text: front matter, numbers of equations, bullets. */
const DROPPED = [
  'ltx_authors',
  'ltx_dates',
  'ltx_date',
  'ltx_title_document',
  'ltx_note_mark',
  'ltx_note_frontmatter',
  'ltx_role_affiliation',
  'ltx_phantom',
  'ltx_subtitle',
  'ltx_rdf',
];

function isMath(element: Element): boolean {
  return (
    element.tagName === 'math' ||
    (element.tagName === 'span' && has(element, 'ltx_Math', 'ltx_DisplayMath'))
  );
}

function texOf(math: Element): string {
  const find = (element: Element, test: (child: Element) => boolean): Element | undefined => {
    for (const child of element.childNodes.filter(isElement)) {
      const found = test(child) ? child : find(child, test);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const named = (element: Element, name: string) =>
    element.attrs.find((attr) => attr.name === name)?.value;
  const annotation = math.childNodes
    .filter(isElement)
    .filter(({ tagName }) => tagName === 'semantics')
    .flatMap((semantics) => semantics.childNodes.filter(isElement))
    .find((child) => named(child, 'encoding') === 'application/x-tex');
  const label = find(math, (child) => has(child, 'mjx-math'));
  const tex =
    (annotation && text(annotation)) ??
    named(math, 'alttext') ??
    (label && named(label, 'aria-label')) ??
    text(math);
  return normalise(tex);
}

/**
 * The formulas of a page as expected. A formula in a cell that spans rows is written once for each
 * row; notes of one section with the same mark and words are one note; a formula in a bullet is
 * ignored.
 */
export function formulasOfPage(page: Node): Formulas {
  const found: Formulas = { inline: [], rows: [], bare: [] };
  let notes = new Set<string>();
  const visit = (node: Node, times: number, row: string[] | null, isBare: boolean) => {
    if ('value' in node && row !== null && node.value.trim() !== '') {
      row.push(normalise(`\\text{${node.value}}`));
    }
    if (!isElement(node)) {
      if ('childNodes' in node)
        for (const child of node.childNodes) visit(child, times, row, isBare);
      return;
    }
    if (has(node, ...DROPPED) || has(node, 'ltx_ERROR')) return;
    if (has(node, 'ltx_tag_equation', 'ltx_tag_equationgroup')) return;
    if (has(node, 'ltx_tag_item') && !/[\p{L}\p{N}]/u.test(text(node).slice(0, 1))) return;
    if (isMath(node)) {
      const tex = texOf(node);
      if (tex === '') return;
      const isDisplay = node.attrs.some(
        ({ name, value }) => name === 'display' && value === 'block',
      );
      if (isBare) found.bare.push(tex);
      else if (row !== null) row.push(tex);
      else (isDisplay ? found.rows : found.inline).push(...Array<string>(times).fill(tex));
      return;
    }
    if (has(node, 'ltx_note')) {
      const words = text(node).replace(/\s+/g, ' ').trim();
      if (notes.has(words)) return;
      notes.add(words);
    }
    const isSection = has(node, 'ltx_section', 'ltx_appendix', 'ltx_abstract', 'ltx_bibliography');
    if (isSection) notes = new Set();
    const isRow = node.tagName === 'tr' && has(node, 'ltx_equation', 'ltx_eqn_row');
    const own = isRow ? [] : row;
    const span = Number(node.attrs.find(({ name }) => name === 'rowspan')?.value ?? 1);
    const count = has(node, 'ltx_td') && !isRow && row === null ? times * span : times;
    const bare = isBare || has(node, 'ltx_listing');
    for (const child of node.childNodes) visit(child, count, own, bare);
    if (isRow && own?.some((piece) => !/^\\text\{[^\\]*\}$/.test(piece)))
      found.rows.push(own.join(''));
    if (isSection) notes = new Set();
  };
  visit(page, 1, null, false);
  return sorted(found);
}

function sorted(found: Formulas): Formulas {
  return { inline: found.inline.sort(), rows: found.rows.sort(), bare: found.bare.sort() };
}

/** The formulas of Markdown, by their dollar signs. */
export function formulasOfMarkdown(markdown: string): Formulas {
  const found: Formulas = { inline: [], rows: [], bare: [] };
  const plain = markdown.replace(/^(?:> ?)+/gm, '');
  const withoutCode = plain.replace(/^([ >]*)(`{3,})[^\n]*\n[\s\S]*?\n[ >]*\2$/gm, (code) => {
    found.bare.push(normalise(code));
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
        if (tex !== '') found.rows.push(tex);
      }
      return '';
    },
  );
  const TOKEN = /\\[\s\S]|(`+)[^`][\s\S]*?[^`]?\1(?!`)|(\$+)([\s\S]*?[^$])\2(?!\$)/g;
  for (const [, , dollars, tex] of withoutBlocks.matchAll(TOKEN)) {
    if (dollars !== undefined && tex !== undefined) found.inline.push(normalise(tex));
  }
  return sorted(found);
}

/** The headings of a page below its title, as text without formulas. */
export function headingsOfPage(page: Node): string[] {
  const headings: string[] = [];
  const visit = (node: Node) => {
    if (isElement(node) && isMath(node)) return;
    if (isElement(node) && /^h[1-6]$/.test(node.tagName) && !has(node, 'ltx_title_document')) {
      headings.push(wordsOf(node));
      return;
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(page);
  return headings.filter((words) => words !== '');
}

function wordsOf(node: Node): string {
  const words = (inner: Node): string => {
    if (isElement(inner) && (isMath(inner) || has(inner, 'ltx_tag', 'ltx_note'))) return ' ';
    if ('value' in inner) return inner.value;
    return 'childNodes' in inner ? inner.childNodes.map(words).join('') : '';
  };
  return plainWords(words(node));
}

/** Letters and digits only, to compare headings in different notations. */
export function plainWords(words: string): string {
  return words
    .replace(/\$[^$]*\$/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
