/**
 * The source of a page as an HTML parser reads it rightly. Two things that LaTeXML writes mean
 * something else to such a parser, so they are rewritten before it sees them.
 */
export function repairSource(html: string): string {
  return keepTexOnly(isXhtml(html) ? closeEmptyElements(html) : html);
}

/** LaTeXML wrote XHTML by default until 2015; such a page says so in its first lines. */
function isXhtml(html: string): boolean {
  const start = html.slice(0, 1_000);
  return (
    /^\s*<\?xml\b|<!DOCTYPE\s+html\s+PUBLIC\s+["']-\/\/W3C\/\/DTD XHTML/i.test(start) ||
    /<html\s[^>]*\bxmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i.test(start)
  );
}

const EMPTY_ELEMENT = /<([a-z][\w:-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/>/gi;
const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** In HTML "<div/>" opens an element that then holds the rest of the paper. */
function closeEmptyElements(xhtml: string): string {
  return xhtml.replace(EMPTY_ELEMENT, (tag, name: string, attributes: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${attributes}></${name}>`,
  );
}

/**
 * Formulas with their TeX alone, or, where there is none, with the text that they show. A table
 * within a formula ("<mtext><th>") would end the cell of the equation around it, and the parser
 * would move the rest of the formula into the prose. Most of a page's length is MathML, too.
 */
function keepTexOnly(html: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end } of findFormulas(html)) {
    pieces.push(html.slice(copied, start), reduce(html.slice(start, end)));
    copied = end;
  }
  pieces.push(html.slice(copied));
  return pieces.join('');
}

/** Comments, scripts and styles may speak of formulas without holding one. */
const OPENING = /<!--|<(?:script|style)\b|<math(?=[\s>/])/gi;
const CLOSING: Readonly<Record<string, RegExp>> = {
  '<!--': /-->/g,
  '<script': /<\/script\s*>/gi,
  '<style': /<\/style\s*>/gi,
};
const MATH_TAG = /<math(?=[\s>/])(?:[^<>"']|"[^"]*"|'[^']*')*>|<\/math\s*>/gi;

interface Span {
  start: number;
  end: number;
}

/** The outermost formulas. What is never closed ends the search: the parser is left to make sense of it. */
function* findFormulas(html: string): Generator<Span> {
  const opening = new RegExp(OPENING);
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    const closing = CLOSING[match[0].toLowerCase()];
    const end =
      closing === undefined
        ? endOfFormula(html, match.index)
        : endOf(closing, html, opening.lastIndex);
    if (end === null) return;
    if (closing === undefined) yield { start: match.index, end };
    opening.lastIndex = end;
  }
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  const search = new RegExp(pattern);
  search.lastIndex = from;
  return search.test(text) ? search.lastIndex : null;
}

/** A text within a formula may hold formulas of its own. */
function endOfFormula(html: string, start: number): number | null {
  const tag = new RegExp(MATH_TAG);
  tag.lastIndex = start;
  let depth = 0;
  for (let match = tag.exec(html); match !== null; match = tag.exec(html)) {
    if (match[0].startsWith('</')) depth -= 1;
    else if (!match[0].endsWith('/>')) depth += 1;
    if (depth === 0) return tag.lastIndex;
  }
  return null;
}

const START_TAG = /^<math(?:[^<>"']|"[^"]*"|'[^']*')*>/i;
const ANNOTATION = /<annotation\b([^<>]*)>([^<]*)<\/annotation>/gi;
const ALTTEXT = /\salttext\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

function reduce(formula: string): string {
  const tag = START_TAG.exec(formula)?.[0];
  if (tag === undefined || tag.endsWith('/>')) return formula;
  // The annotation of the formula itself comes after those of formulas within its texts.
  const annotations = [...formula.matchAll(ANNOTATION)];
  const own = annotations.findLast(([, attributes]) => attributes?.includes('application/x-tex'));
  const [, quoted, quotedOnce] = ALTTEXT.exec(tag) ?? [];
  const tex = own?.[2] ?? (quoted ?? quotedOnce)?.replaceAll('<', '&lt;');
  const body =
    tex === undefined
      ? `<mtext>${shownText(formula.slice(tag.length))}</mtext>`
      : `<semantics><annotation encoding="application/x-tex">${tex}</annotation></semantics>`;
  return `${tag}${body}</math>`;
}

/** Annotations say what the formula means, after the symbols that show it. */
function shownText(markup: string): string {
  const annotations = markup.search(/<annotation\b/i);
  return (annotations === -1 ? markup : markup.slice(0, annotations)).replace(/<[^<>]*>/g, '');
}
