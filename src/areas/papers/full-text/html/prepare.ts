import pageFile from '../../../../../data/latexml.json' with { type: 'json' };
import {
  attribute,
  type Element,
  findAll,
  hasClass,
  isElement,
  isMath,
  isTag,
  isText,
  type Node,
  newLineBreak,
  newText,
  rawText,
} from './tree.ts';

/** Counts over the whole paper. */
export interface Survey {
  words: number;
  /** Different commands that the conversion did not know. */
  unknown: ReadonlySet<string>;
}

/**
 * Removes from the tree everything that is not the paper's text: page chrome, metadata, and failed
 * commands with the arguments they left behind.
 */
export function prepare(root: Element): Survey {
  const unknown = new Set<string>();
  let words = 0;
  let isAfterError = false;
  const visit = (element: Element) => {
    const kept: Node[] = [];
    for (const node of element.childNodes) {
      if (isText(node)) {
        if (isAfterError && node.value.trim() !== '') {
          node.value = node.value.replace(ORPHANS, '');
          isAfterError = false;
        }
        words += node.value.match(/\S+/g)?.length ?? 0;
        kept.push(node);
      } else if (isElement(node)) {
        if (hasClass(node, 'ltx_ERROR')) {
          const command = rawText(node).trim();
          unknown.add(command);
          isAfterError = true;
          kept.push(...readStep(command));
        } else if (hasClass(node, ...pageFile.contents)) {
          dropHeading(kept);
        } else if (!isFrame(node) && !hasClass(node, ...pageFile.metadata)) {
          // A formula or a label, such as "[1]", is no argument.
          if (isMath(node) || isTag(node)) isAfterError = false;
          if (isMath(node)) words += 1;
          else visit(node);
          kept.push(node);
        }
      }
    }
    element.childNodes = kept;
  };
  visit(root);
  return { words, unknown };
}

const STEP =
  /^\\(require|ensure|state|if|else|elsif|elseif|endif|end if|for|forall|endfor|while|endwhile|repeat|until|loop|endloop|return|print)$/i;

/** A failed pseudocode command still starts a line, with its keyword. */
function readStep(command: string): Node[] {
  const word = STEP.exec(command)?.[1]?.toLowerCase();
  if (word === undefined) return [];
  return [newLineBreak(), newText(word === 'state' ? ' ' : `${word} `)];
}

/** "[H]", "{arg}", "[0.4pt/2pt]": arguments of a failed command. */
const ORPHANS = /^\s*(?:\{[^{}]{0,60}\}|\[[^[\]]{0,60}\])+/;

/** Removes the heading before a table of contents. Titles of the paper's own sections stay. */
function dropHeading(before: Node[]): void {
  const at = before.findLastIndex((node) => !isText(node) || node.value.trim() !== '');
  const heading = before[at];
  if (heading === undefined || !isElement(heading) || !/^h[1-6]$/.test(heading.tagName)) return;
  const isTitle = hasClass(heading, 'ltx_title') && !hasClass(heading, 'ltx_title_contents');
  if (!isTitle) before.length = at;
}

const TAGS: ReadonlySet<string> = new Set(pageFile.frameTags);
const IDS: ReadonlySet<string> = new Set(pageFile.frameIds);

/** Whether an element is page chrome: added by arXiv, ar5iv or LaTeXML, not by the authors. */
function isFrame(element: Element): boolean {
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
  const matches = findAll(page, (element) => isFrame(element) || isPaper(element));
  const [longest] = matches
    .filter((element) => !isFrame(element))
    .map((element) => ({ element, length: rawText(element).length }))
    .sort((a, b) => b.length - a.length);
  return longest?.element ?? null;
}

/** Whether text of the paper stands outside it: a tag that is missing or too many ended it early. */
export function isCutShort(page: Element, paper: Element): boolean {
  const isOther = (element: Element) =>
    isFrame(element) || element === paper || hasClass(element, 'ltx_document');
  const isOwn = (element: Element) => hasClass(element, 'ltx_para', 'ltx_bibitem');
  return findAll(page, (element) => isOther(element) || isOwn(element)).some(
    (element) => !isOther(element),
  );
}
