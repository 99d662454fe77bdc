import { cleanPiece } from '../sections/sections.ts';
import {
  attribute,
  type Element,
  findAll,
  hasClass,
  isBlock,
  isElement,
  isOf,
  isText,
  type Node,
  rawText,
} from './tree.ts';

/** A start or end tag of a formula. Comments, scripts and styles are matched whole, to skip them. */
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<math(?=[\s>/])(?:[^<>"']|"[^"]*"|'[^']*')*>|<\/math\s*>/gi;

/**
 * Replaces the MathML of each closed formula with its TeX before the page is parsed: a table inside
 * a formula would end the equation's own table cell, and most of a page's length is MathML.
 */
export function keepTexOnly(html: string): string {
  const pieces: string[] = [];
  let copied = 0;
  let depth = 0;
  let opening = { tag: '', end: 0 };
  for (const { 0: tag, index } of html.matchAll(TOKEN)) {
    if (/^<math/i.test(tag)) {
      if (depth === 0) opening = { tag, end: index + tag.length };
      if (!tag.endsWith('/>')) depth += 1;
    } else if (/^<.math/i.test(tag) && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      pieces.push(html.slice(copied, opening.end));
      pieces.push(texOf(opening.tag, html.slice(opening.end, index)));
      copied = index;
    }
  }
  pieces.push(html.slice(copied));
  return pieces.join('');
}

const ANNOTATION = /<annotation\b([^<>]*)>([^<]*)<\/annotation>/gi;
const ALTTEXT = /\salttext\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** A formula's TeX, as HTML: the annotation, else the alternative text, else the visible symbols. */
function texOf(tag: string, body: string): string {
  // A formula's own annotation follows those of nested formulas.
  const annotations = [...body.matchAll(ANNOTATION)];
  const own = annotations.findLast(([, attributes]) => attributes?.includes('application/x-tex'));
  const [, quoted, quotedOnce] = ALTTEXT.exec(tag) ?? [];
  const written = [own?.[2], (quoted ?? quotedOnce)?.replaceAll('<', '&lt;')];
  const tex = written.find((each) => each?.trim());
  if (tex !== undefined) return tex;
  const [shown = ''] = body.split(/<annotation\b/i, 1);
  return shown.replace(/<[^<>]*>/g, '').replace(/&amp;|(?<!&)#|[%_{}$]/g, '\\$&');
}

/** The TeX of a formula, on one line; empty if there is none. */
export function readTex(math: Element): string {
  const [label] = findAll(math, (element) => hasClass(element, 'mjx-math'));
  return cleanTex((label && attribute(label, 'aria-label')) ?? rawText(math));
}

/** A "<" that a renderer without formula support would read as the start of an HTML tag. */
const HTML_TAG = /<(?=\/?[A-Za-z][\w-]*(?:\s[^<>=]*=[^<>]*)?\/?>|[!?])/g;

function cleanTex(tex: string): string {
  const joined = cleanPiece(tex)
    // A comment at the end of a line joins it to the next line; the space ends a command name.
    .replace(/(\\[a-zA-Z]+)%[ \t]*\n[ \t]*(?=[a-zA-Z])/g, '$1 ')
    .replace(/(?<!\\)((?:\\\\)*)%[ \t]*\n[ \t]*/g, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^(?:\\displaystyle(?![a-zA-Z]) ?)+/, '')
    // Converters to MathML support neither LaTeXML's empty option nor the font mathbbm.
    .replace(/(\\begin\{array\})\[\]/g, '$1')
    .replace(/\\mathbbm(?![a-zA-Z])/g, '\\mathbb')
    .replace(HTML_TAG, '< ');
  // Trimming can turn a final "\ " into "\", which would escape the closing dollar sign.
  return mathInText(joined)
    .replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')
    .trimEnd();
}

/** Formulas inside \text{…} become \(…\): a dollar sign would end the outer formula. */
function mathInText(tex: string): string {
  if (!tex.includes('$')) return tex;
  let isOpen = false;
  return tex.replace(/\\[\s\S]|\$/g, (token) => {
    if (token !== '$') return token;
    isOpen = !isOpen;
    return isOpen ? '\\(' : '\\)';
  });
}

/** Replaces bars in TeX, since a bar would end a Markdown table cell. */
export function withoutBars(tex: string): string {
  return tex.replace(/\\([^|])|\\?\|(?=([a-zA-Z])?)/g, (token, escaped, letter) => {
    if (escaped !== undefined) return token;
    return `${token === '|' ? '\\vert' : '\\Vert'}${letter === undefined ? '' : ' '}`;
  });
}

/** Escapes plain text for TeX's text mode; drops characters such as braces. */
export function escapeText(text: string): string {
  return text.replace(/[\\{}~^]/g, '').replace(/[$%&#_]/g, '\\$&');
}

/** Nodes as unformatted text with formulas as TeX, without line numbers. */
export function codeText(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return cleanPiece(node.value);
      if (!isElement(node) || hasClass(node, 'ltx_tag_listingline', 'ltx_rule')) return '';
      if (isOf(node, 'math')) return readTex(node);
      const inner = codeText(node.childNodes);
      return isBlock(node) || /^(?:td|th|br)$/.test(node.tagName) ? ` ${inner} ` : inner;
    })
    .join('');
}
