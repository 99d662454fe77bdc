import pageFile from '../../../../../data/latexml.json' with { type: 'json' };
import { attribute, type Element, findAll, hasClass, rawText } from './tree.ts';

const TAGS: ReadonlySet<string> = new Set(pageFile.frameTags);
const IDS: ReadonlySet<string> = new Set(pageFile.frameIds);

/** Whether an element is page chrome: added by arXiv, ar5iv or LaTeXML, not by the authors. */
export function isFrame(element: Element): boolean {
  const id = attribute(element, 'id');
  if (TAGS.has(element.tagName) || (id !== null && IDS.has(id))) return true;
  return hasClass(element, ...pageFile.frameClasses);
}

/**
 * The element that holds the paper: the longest, since arXiv's alert about unsupported packages
 * precedes the paper and shares its class.
 */
export function findPaper(page: Element): Element | null {
  const isPaper = (element: Element) => hasClass(element, 'ltx_document');
  const found = findAll(page, (element) => isFrame(element) || isPaper(element));
  return longest(found.filter((element) => !isFrame(element)));
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
