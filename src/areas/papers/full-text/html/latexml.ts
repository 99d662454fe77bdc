import pageFile from '../../../../../data/latexml.json' with { type: 'json' };

/**
 * Rewrites what an HTML parser would misread in LaTeXML's output: XHTML's empty elements, and HTML
 * inside formulas.
 */
export function repairSource(html: string): string {
  return keepTexOnly(isXhtml(html) ? closeEmptyElements(html) : html);
}

/** LaTeXML wrote XHTML by default until 2015, declared in the first lines. */
function isXhtml(html: string): boolean {
  const start = html.slice(0, 1_000);
  return (
    /^\s*<\?xml\b|<!DOCTYPE\s+html\s+PUBLIC\s+["']-\/\/W3C\/\/DTD XHTML/i.test(start) ||
    /<html\s[^>]*\bxmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i.test(start)
  );
}

const EMPTY_ELEMENT = /<([a-z][\w:-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/>/gi;
const VOID: ReadonlySet<string> = new Set(pageFile.empty);

/** In HTML "<div/>" opens an element, which would then enclose the rest of the paper. */
function closeEmptyElements(xhtml: string): string {
  return xhtml.replace(EMPTY_ELEMENT, (tag, name: string, attributes: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${attributes}></${name}>`,
  );
}

/** Tags of formulas; comments, scripts and styles are passed over, in which a tag is none. */
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<math(?=[\s>/])(?:[^<>"']|"[^"]*"|'[^']*')*>|<\/math\s*>/gi;

/**
 * Reduces formulas to their TeX or, if there is none, to their visible text. A table inside a
 * formula ("<mtext><th>") would end the equation's own table cell, and the parser would move the
 * rest of the formula into the prose. Besides, most of a page's length is MathML. Text inside a formula
 * may contain further formulas; an unclosed one is left to the parser.
 */
function keepTexOnly(html: string): string {
  const pieces: string[] = [];
  let [copied, start, depth] = [0, 0, 0];
  for (const { 0: tag, index } of html.matchAll(TOKEN)) {
    if (/^<math/i.test(tag)) {
      if (depth === 0) start = index;
      if (!tag.endsWith('/>')) depth += 1;
    } else if (/^<.math/i.test(tag) && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      const end = index + tag.length;
      pieces.push(html.slice(copied, start), reduce(html.slice(start, end)));
      copied = end;
    }
  }
  pieces.push(html.slice(copied));
  return pieces.join('');
}

const START_TAG = /^<math(?:[^<>"']|"[^"]*"|'[^']*')*>/i;
const ANNOTATION = /<annotation\b([^<>]*)>([^<]*)<\/annotation>/gi;
const ALTTEXT = /\salttext\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

function reduce(formula: string): string {
  const tag = START_TAG.exec(formula)?.[0];
  if (tag === undefined || tag.endsWith('/>')) return formula;
  // The formula's own annotation follows those of nested formulas.
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

/** The visible symbols, which precede the annotations. */
function shownText(markup: string): string {
  const annotations = markup.search(/<annotation\b/i);
  return (annotations === -1 ? markup : markup.slice(0, annotations)).replace(/<[^<>]*>/g, '');
}
