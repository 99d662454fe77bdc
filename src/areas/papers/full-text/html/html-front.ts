import { cleanLine } from '../../../../core/text.ts';
import { ARXIV_ID, type Front, lettersOf, namesIn, STAMP } from '../sections/front.ts';
import {
  attribute,
  type Element,
  findAll,
  hasClass,
  isElement,
  isText,
  type Node,
  parsePage,
  rawText,
} from './tree.ts';

const ADDRESS = new RegExp(`/(?:html|abs)/${ARXIV_ID}/?$`);
/** The comment that some browsers add at the top of a saved page. */
const SAVED_FROM = /saved from url=\(\d+\)(\S{1,300})/;
/** Placeholder for a footnote mark, which may be all that separates two names. */
const FOOTNOTE = '|';

/** Reads bibliographic facts from a saved arXiv or ar5iv page. */
export function readFront(html: string): Front {
  const root = parsePage(html);
  const all = (matches: (element: Element) => boolean) =>
    root === null ? [] : findAll(root, matches);
  const [title] = all((one) => hasClass(one, 'ltx_title_document'));
  const words = title === undefined ? '' : cleanLine(wordsOf(title, '')).slice(0, 1_000);
  const [stamp] = all((one) => attribute(one, 'id') === 'watermark-tr');
  const mark = stamp && STAMP.exec(rawText(stamp));
  // The page's base URL, its canonical URL, or ar5iv's link to the paper.
  const links = all(
    (one) =>
      one.tagName === 'base' ||
      attribute(one, 'rel') === 'canonical' ||
      hasClass(one, 'ar5iv-text-button'),
  ).map((one) => attribute(one, 'href'));
  const [address] = [SAVED_FROM.exec(html.slice(0, 2_000))?.[1], ...links].flatMap(
    (one) => ADDRESS.exec(one ?? '')?.[1] ?? [],
  );
  const names = all((one) => hasClass(one, 'ltx_personname'))
    // A line that starts with "&", left over from LaTeX's \And, begins another author.
    .flatMap((one) => wordsOf(one, FOOTNOTE).split(/\n[ \t]*&/))
    .map(authorsIn);
  return {
    title: words || null,
    authors: names.every((some) => some.length > 0) ? names.flat().slice(0, 500) : [],
    year: null,
    arxivId: mark?.[1] ?? address ?? null,
    category: mark?.[2] ?? null,
    doi: null,
    letters: lettersOf(words),
  };
}

/**
 * The names of one or more authors in a text that may continue with affiliations. Empty if it
 * is unclear whether a line contains names: no authors are better than wrong ones.
 */
function authorsIn(words: string): string[] {
  const authors: string[] = [];
  let isOpen = true;
  for (const line of words.split('\n')) {
    const text = cleanLine(line.replace(/[\u2002\u2003]|\u00a0{2,}/g, ','));
    if (text === '') continue;
    const names = namesIn(text);
    const isMarked = authors.length > 0 && text.startsWith(FOOTNOTE);
    if (isMarked || (!isOpen && names.length === 0)) return authors;
    if (!isOpen || names.length === 0) return [];
    authors.push(...names);
    isOpen = /(?:,|\band)$/.test(text);
  }
  return authors;
}

/**
 * The text of a title or a list of names. A non-empty `mark` replaces footnotes, superscripts and
 * formulas. If it is empty, footnotes are dropped, and formulas become TeX without special characters.
 */
function wordsOf(node: Node, mark: string): string {
  if (isText(node)) return node.value.replace(/\n/g, ' ');
  if (!isElement(node)) return '';
  if (node.tagName === 'br') return '\n';
  if (hasClass(node, 'ltx_note') || (mark !== '' && /^(?:sup|math)$/.test(node.tagName)))
    return mark;
  if (node.tagName === 'math') return (attribute(node, 'alttext') ?? '').replace(/[\\{}_^$]/g, '');
  return node.childNodes.map((child) => wordsOf(child, mark)).join('');
}
