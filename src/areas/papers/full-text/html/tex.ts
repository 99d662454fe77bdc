import {
  attribute,
  childElements,
  cleanPiece,
  type Element,
  findFirst,
  hasClass,
  rawText,
} from './tree.ts';

/** The TeX of a formula, on one line; empty when there is none. */
export function readTex(math: Element): string {
  return cleanTex(texSource(math));
}

function texSource(math: Element): string {
  const isTex = (element: Element) =>
    element.tagName === 'annotation' && attribute(element, 'encoding') === 'application/x-tex';
  const semantics = childElements(math).find((child) => child.tagName === 'semantics');
  const annotation = semantics && childElements(semantics).find(isTex);
  if (annotation) return rawText(annotation);
  const label = findFirst(math, (element) => hasClass(element, 'mjx-math'));
  return (label && attribute(label, 'aria-label')) ?? asTex(rawText(math));
}

/** The visible symbols, escaped, for a formula without TeX. */
function asTex(symbols: string): string {
  return symbols.replace(/[%&#_{}$]/g, '\\$&');
}

/** What a renderer without formulas would take for an HTML tag. */
const HTML_TAG = /<(?=\/?[A-Za-z][\w-]*(?:\s[^<>]*=[^<>]*)?\/?>|[!?])/g;

function cleanTex(source: string): string {
  const joined = cleanPiece(source)
    // A comment at the end of a line joins it to the next; the space ends a command name.
    .replace(/(\\[a-zA-Z]+)%[ \t]*\n[ \t]*(?=[a-zA-Z])/g, '$1 ')
    .replace(/(?<!\\)((?:\\\\)*)%[ \t]*\n[ \t]*/g, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^(?:\\displaystyle(?![a-zA-Z]) ?)+/, '');
  return closeEscape(mathInText(joined.replace(HTML_TAG, '< ')));
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

/** Trimming can turn a final "\ " into "\", which would escape the closing dollar sign. */
function closeEscape(tex: string): string {
  return tex.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1').trimEnd();
}

/** TeX for a table cell, which a bar would end. */
export function withoutBars(tex: string): string {
  if (!tex.includes('|')) return tex;
  return tex
    .replace(/(\\begin\{(?:array|tabular)\}(?:\[\w\])?)\{([^{}]*)\}/g, (_, begin, columns) => {
      return `${begin}{${String(columns).replaceAll('|', '')}}`;
    })
    .replace(/\\([\s\S])|\|/g, (token, escaped) => {
      if (token === '|') return '\\vert ';
      return escaped === '|' ? '\\Vert ' : token;
    })
    .replace(/(\\[vV]ert) (?=[^a-zA-Z]|$)/g, '$1')
    .trim();
}

/** Plain text inside a formula, as \text{…}. */
export function textInTex(text: string): string {
  const escaped = text.replace(/[\\{}~^]/g, '').replace(/[$%&#_]/g, (sign) => `\\${sign}`);
  return `\\text{${escaped}}`;
}
