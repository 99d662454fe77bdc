import { type ParseResult, type TextSection, toResult, toSections } from '../sections/sections.ts';
import { readFront } from './html-front.ts';
import { readParts } from './outline.ts';
import { keepTexOnly } from './tex.ts';
import {
  type Element,
  findAll,
  hasClass,
  isBlock,
  isElement,
  isOf,
  isText,
  type Kind,
  kindOf,
  type Node,
  newElement,
  newText,
  parsePage,
  rawText,
  squeeze,
} from './tree.ts';

/** Maximum number of distinct unknown commands per word; more means that LaTeX packages failed to load. */
const MAX_UNKNOWN = 0.01;

/** How ar5iv reports an aborted conversion. */
const FATAL = /\bar5iv-severity-fatal\b|Conversion to HTML had a Fatal error/i;

export interface Page {
  sections: TextSection[];
  words: number;
  /** LaTeX commands that the converter to HTML did not know. */
  unknown: ReadonlySet<string>;
}

/**
 * Converts a paper's arXiv or ar5iv page to sections of Markdown. For the user's own files
 * (`isOwn`), also reads title and authors.
 */
export function readHtml(html: string, isOwn = false): ParseResult {
  if (FATAL.test(html)) return { ok: false, reason: 'failed conversion' };
  const page = readPage(html);
  if (typeof page === 'string') return { ok: false, reason: page };
  if (page.unknown.size > MAX_UNKNOWN * page.words)
    return { ok: false, reason: 'failed conversion' };
  return { ...toResult(page.sections), ...(isOwn ? { front: readFront(html) } : {}) };
}

/** Reads a page, however many commands are unknown; on failure, returns the reason. */
export function readPage(html: string): Page | 'not a paper' | 'failed conversion' {
  if (!html.includes('ltx_document')) return 'not a paper';
  const root = parsePage(keepTexOnly(html));
  if (root === null) return 'failed conversion';
  const [paper] = findOutside('frame', root, 'paper');
  if (paper === undefined) return 'not a paper';
  if (isCutShort(root)) return 'failed conversion';
  const unknown = new Set(findOutside('frame', paper, 'error').map((one) => rawText(one).trim()));
  prepare(paper);
  const words = rawText(paper).match(/\S+/g)?.length ?? 0;
  return { sections: toSections(readParts(paper)), words, unknown };
}

/** The outermost elements of `kind` that are not inside an element of `other`. */
function findOutside(other: Kind, within: Element, kind: Kind): Element[] {
  const all = findAll(within, (element) => isOf(element, kind, other));
  return all.filter((element) => isOf(element, kind));
}

/** Whether a stray tag ended the paper's element early, so that some of the text is outside. */
function isCutShort(page: Element): boolean {
  const isOther = (element: Element) => isOf(element, 'frame', 'paper');
  const isOwn = (element: Element) => hasClass(element, 'ltx_para', 'ltx_bibitem');
  const all = findAll(page, (element) => isOther(element) || isOwn(element));
  return !all.every(isOther);
}

/** Removes what is not the paper's text, such as page chrome, metadata and failed commands. */
function prepare(paper: Element): void {
  let isAfterError = false;
  const visit = (element: Element) => {
    const kept: Node[] = [];
    for (const node of element.childNodes) {
      const kind = kindOf(node);
      if (isText(node) && isAfterError && node.value.trim() !== '') {
        node.value = node.value.replace(ORPHANS, '');
        isAfterError = false;
      }
      // A formula or a label, such as "[1]", is not an argument.
      if (kind === 'math' || kind === 'tag') isAfterError = false;
      if (kind === 'error') {
        isAfterError = true;
        kept.push(...readStep(rawText(node).trim()));
      } else if (kind === 'contents') dropHeading(kept);
      else if (kind !== 'frame' && (isElement(node) || isText(node))) {
        if (isElement(node) && kind !== 'math') visit(node);
        if (isElement(node) && kind === 'drawing') node.childNodes = wordsOfDrawing(node);
        kept.push(node);
      }
    }
    element.childNodes = kept;
  };
  visit(paper);
}

/** Arguments that a failed command left behind, such as "[H]", "{arg}" or "[0.4pt/2pt]". */
const ORPHANS = /^\s*(?:\{[^{}]{0,60}\}|\[[^[\]]{0,60}\])+/;

const STEP =
  /^\\(require|ensure|state|if|else|elsif|elseif|endif|end if|for|forall|endfor|while|endwhile|repeat|until|loop|endloop|return|print)$/i;

/** A line break and the keyword for a failed pseudocode command; nothing for other commands. */
function readStep(command: string): Node[] {
  const word = STEP.exec(command)?.[1]?.toLowerCase();
  if (word === undefined) return [];
  return [newElement('br', []), newText(word === 'state' ? ' ' : `${word} `)];
}

/** Minimum number of words in a passage of a drawing; shorter text is a label. */
const MIN_WORDS = 6;

/** The words of a drawing, without numbers: passages unchanged, consecutive labels on one line. */
function wordsOfDrawing(drawing: Element): Element[] {
  const lines: Element[] = [];
  let isAfterLabel = false;
  const isWords = ({ tagName }: Element) => /^(?:foreignObject|text)$/.test(tagName);
  for (const element of findAll(drawing, isWords)) {
    const text = squeeze(rawText(element)).trim();
    // Numbers, such as those on axes, may be formulas: "\mathdefault{10^{-2}}".
    if (!/\p{L}/u.test(text.replace(/\\[a-z]+/g, ''))) continue;
    const isLabel = text.split(' ').length < MIN_WORDS;
    if (isLabel && isAfterLabel)
      lines.at(-1)?.childNodes.push(newText('; '), ...onOneLine(element));
    else lines.push(newElement('div', isLabel ? onOneLine(element) : element.childNodes));
    isAfterLabel = isLabel;
  }
  return lines;
}

function onOneLine(element: Element): Node[] {
  return element.childNodes.flatMap((node) => {
    if (!isElement(node) || isOf(node, 'math')) return [node];
    const words = onOneLine(node);
    const isApart = isBlock(node) || node.tagName === 'br';
    if (isApart) return [newText(' '), ...words, newText(' ')];
    node.childNodes = words;
    return [node];
  });
}

/** Removes the heading above a table of contents, unless the heading has LaTeXML's class for titles. */
function dropHeading(before: Node[]): void {
  const at = before.findLastIndex((node) => !isText(node) || node.value.trim() !== '');
  const heading = before[at];
  if (heading === undefined || !isElement(heading) || !isOf(heading, 'title')) return;
  if (!hasClass(heading, 'ltx_title')) before.length = at;
}
