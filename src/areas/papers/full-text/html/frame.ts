import pageFile from '../../../../../data/latexml.json' with { type: 'json' };
import { attribute, childElements, type Element, hasClass, rawText } from './tree.ts';

const TAGS: ReadonlySet<string> = new Set(pageFile.frameTags);
const IDS: ReadonlySet<string> = new Set(pageFile.frameIds);

/** Whether an element is page chrome: added by arXiv, ar5iv or LaTeXML, not by the authors. */
export function isFrame(element: Element): boolean {
  const id = attribute(element, 'id');
  if (TAGS.has(element.tagName) || (id !== null && IDS.has(id))) return true;
  return hasClass(element, ...pageFile.frameClasses);
}

/**
 * The element that holds the paper: an `article`, or a `div` in LaTeXML before 2015. The longest
 * wins, since arXiv's alert about unsupported packages precedes the paper and shares its class.
 */
export function findPaper(page: Element): Element | null {
  const papers = listPapers(page);
  const articles = papers.filter(({ tagName }) => tagName === 'article');
  return longest(articles.length > 0 ? articles : papers);
}

function listPapers(element: Element): Element[] {
  return childElements(element).flatMap((child) => {
    if (isFrame(child)) return [];
    if (!hasClass(child, 'ltx_document')) return listPapers(child);
    return child.tagName === 'article' ? [child] : [child, ...listPapers(child)];
  });
}

function longest(elements: readonly Element[]): Element | null {
  let most = -1;
  let found: Element | null = null;
  for (const element of elements) {
    const { length } = rawText(element);
    if (length > most) [most, found] = [length, element];
  }
  return found;
}
