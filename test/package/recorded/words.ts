import type { DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** Front matter, marks and labels that are dropped on purpose, and the page frame. */
const DROPPED = [
  'ltx_authors',
  'ltx_dates',
  'ltx_date',
  'ltx_title_document',
  'ltx_note_mark',
  'ltx_note_type',
  'ltx_tag_note',
  'ltx_note_frontmatter',
  'ltx_role_affiliation',
  'ltx_phantom',
  'ltx_ERROR',
  'ltx_tag_listingline',
  'ltx_page_footer',
  'ar5iv-footer',
  'floating-btn',
  'ltx_Math',
  'ltx_DisplayMath',
];
const DROPPED_TAGS = ['math', 'head', 'script', 'style', 'button'];
const SECTIONS = ['ltx_section', 'ltx_appendix', 'ltx_abstract', 'ltx_bibliography'];

/** Frequencies of words with three or more letters. */
export type Bag = Map<string, number>;

function bagOf(text: string): Bag {
  const bag: Bag = new Map();
  for (const word of text.normalize('NFC').match(/\p{L}{3,}/gu) ?? []) {
    bag.set(word, (bag.get(word) ?? 0) + 1);
  }
  return bag;
}

/** Words of a page outside formulas; a note that occurs twice in a section counts once. */
export function wordsOfPage(page: Node): Bag {
  const pieces: string[] = [];
  let notes = new Set<string>();
  const text = (node: Node): string =>
    'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(text).join('') : '';
  const visit = (node: Node) => {
    if (node.nodeName === '#text' && 'value' in node) pieces.push(node.value);
    if (!('childNodes' in node)) return;
    const attrs = 'attrs' in node ? node.attrs : [];
    const value = (name: string) => attrs.find((attr) => attr.name === name)?.value ?? '';
    const classes = value('class').split(/\s+/);
    const has = (names: readonly string[]) => names.some((name) => classes.includes(name));
    const isApart =
      !['span', 'a', 'em', 'b', 'i', 'cite', 'sup', 'sub'].includes(node.nodeName) ||
      has(['ltx_p', 'ltx_bibblock', 'ltx_tag', 'ltx_note']);
    if (has(DROPPED) || DROPPED_TAGS.includes(node.nodeName)) {
      pieces.push(' ');
      return;
    }
    if (has(['ltx_note'])) {
      const words = text(node).replace(/\s+/g, ' ').trim();
      if (notes.has(words)) return;
      notes.add(words);
    }
    if (has(SECTIONS)) notes = new Set();
    const times = has(['ltx_td']) && !has(['ltx_eqn_cell']) ? Number(value('rowspan') || 1) : 1;
    for (let k = 0; k < times; k += 1) {
      if (isApart) pieces.push(' ');
      for (const child of node.childNodes) visit(child);
      if (isApart) pieces.push(' ');
    }
  };
  visit(page);
  return bagOf(pieces.join(''));
}

/** Words of Markdown outside formulas, link targets and note marks. */
export function wordsOfMarkdown(markdown: string): Bag {
  return bagOf(
    markdown
      .replace(/```text[\s\S]*?```/g, ' ')
      .replace(/\$\$[\s\S]*?\$\$/g, ' ')
      .replace(/\$[^$]*\$/g, ' ')
      .replace(/\]\([^)]*\)/g, '] ')
      .replace(/\[\^[^\]]*\]/g, ' '),
  );
}

/** The words that are more frequent in `left` than in `right`. */
export function surplus(left: Bag, right: Bag): string[] {
  return [...left].filter(([word, count]) => count > (right.get(word) ?? 0)).map(([word]) => word);
}
