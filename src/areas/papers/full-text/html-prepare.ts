import {
  attribute,
  type Element,
  hasClass,
  isElement,
  isText,
  type Node,
  newLineBreak,
  newText,
  rawText,
} from './html-tree.ts';
import { isFrontNote } from './latexml-notes.ts';
import { isMath } from './latexml-tex.ts';

const TAGS = new Set(
  `audio base button canvas dialog embed form iframe input link meta nav noscript script select
   style template textarea title video`.split(/\s+/),
);
const CLASSES = [
  'arxiv-html-header',
  'ar5iv-footer',
  'keyboard-glossary',
  'ltx_TOC',
  'ltx_authors',
  'ltx_bib_cited',
  'ltx_creator',
  'ltx_date',
  'ltx_dates',
  'ltx_listing_data',
  'ltx_page_footer',
  'ltx_page_header',
  'ltx_page_logo',
  'ltx_page_navbar',
  'ltx_pagination',
  'ltx_phantom',
  'ltx_rdf',
  'ltx_subtitle',
  'ltx_title_document',
  'package-alerts',
  'sr-only',
];
const IDS = new Set([
  'fixed-buttons-container',
  'infobox',
  'license-tr',
  'target-section',
  'watermark-tr',
]);

/** What a look over the whole paper found. */
export interface Survey {
  words: number;
  /** Commands that the conversion did not know. */
  errors: number;
}

/**
 * Takes from the tree everything that is no part of the paper's text: what the site put around it,
 * authors and dates, and commands that failed, with the arguments they left behind.
 */
export function prepare(root: Element): Survey {
  const survey: Survey = { words: 0, errors: 0 };
  let isAfterError = false;
  const visit = (element: Element) => {
    const kept: Element['childNodes'] = [];
    for (const node of element.childNodes) {
      if (isText(node)) {
        if (isAfterError && node.value.trim() !== '') {
          node.value = node.value.replace(ORPHANS, '');
          isAfterError = false;
        }
        survey.words += node.value.match(/\S+/g)?.length ?? 0;
        kept.push(node);
      } else if (isElement(node)) {
        if (hasClass(node, 'ltx_ERROR')) {
          survey.errors += 1;
          isAfterError = true;
          kept.push(...readStep(rawText(node)));
        } else if (!isDropped(node)) {
          if (isMath(node)) {
            survey.words += 1;
            isAfterError = false;
          } else {
            visit(node);
          }
          kept.push(node);
        }
      }
    }
    element.childNodes = kept;
  };
  visit(root);
  return survey;
}

const STEP =
  /^\\(require|ensure|state|if|else|elsif|elseif|endif|end if|for|forall|endfor|while|endwhile|repeat|until|loop|endloop|return|print)$/i;

/** The steps of an algorithm whose package failed still begin a line, with the word they stand for. */
function readStep(command: string): Node[] {
  const word = STEP.exec(command.trim())?.[1]?.toLowerCase();
  if (word === undefined) return [];
  return [newLineBreak(), newText(word === 'state' ? ' ' : `${word} `)];
}

/** "[H]", "{arg}", "[0.4pt/2pt]": what stood after a command that failed. */
const ORPHANS = /^\s*(?:\{[^{}]{0,60}\}|\[[^[\]]{0,60}\])+/;

function isDropped(element: Element): boolean {
  const id = attribute(element, 'id');
  if (TAGS.has(element.tagName) || (id !== null && IDS.has(id))) return true;
  return hasClass(element, ...CLASSES) || isFrontNote(element);
}
