import temml from 'temml';

// Formulas of a read paper as MathML. Their TeX is other people's text.

/** Most UTF-16 code units of one formula, and of all formulas of a text. */
const MOST = { one: 2_000, all: 50_000 };
/** Equivalents of commands that Temml lacks, or draws with styles that the page's policy forbids. */
const MACROS = {
  '\\mathbbm': '\\mathbb',
  '\\mathds': '\\mathbb',
  '\\mbox': '\\text',
  '\\pmb': '\\boldsymbol',
};
/** Definitions can make a short formula endless. */
const DEFINITION = /\\(?:[egx]?def|(?:future)?let|[a-z]+command)(?![a-zA-Z])/;
/**
 * Escapes and code, which stay as they are; a formula on lines of its own, perhaps in a list or a quotation;
 * one in a sentence, where dollar signs of sums of money are followed by spaces or digits.
 */
const PIECES =
  /\\.|(?<!`)(`{1,3})(?!`).*?\1(?!`)|^([> ]*)\$\$\n(.*?)\n\2\$\$\n{0,2}|(\$\$?)(?![\s$])((?:\\.|[^\\$])*)(?<!\s)\4(?!\d)/gms;

/** A text with its formulas drawn; one that cannot be drawn stays TeX between its dollar signs. */
export function withFormulas(text: string): (string | Element)[] {
  const parts: (string | Element)[] = [];
  let from = 0;
  let total = 0;
  for (const { 0: whole, 2: margin, 3: display, 5: inline, index } of text.matchAll(PIECES)) {
    const tex = display?.replaceAll(`\n${margin}`, '\n').slice(margin?.length) ?? inline;
    if (tex === undefined || tex.length > MOST.one || total + tex.length > MOST.all) continue;
    total += tex.length;
    const math = drawn(tex, display !== undefined);
    if (math === undefined) continue;
    parts.push(text.slice(from, index), math);
    from = index + whole.length;
  }
  return [...parts, text.slice(from)];
}

/** Undefined for TeX that Temml does not know, and for what is no formula or more than one. */
function drawn(tex: string, displayMode: boolean): Element | undefined {
  // Between two sums of money stand words.
  if (DEFINITION.test(tex) || (!/[\\^_=]/.test(tex) && /[a-z]{2} [a-z]{2}/i.test(tex)))
    return undefined;
  const place = document.createElement('span');
  try {
    temml.render(tex, place, { displayMode, throwOnError: true, macros: { ...MACROS } });
  } catch {
    // Besides its own errors, too deep a nesting overflows the stack.
    return undefined;
  }
  const all = [...place.querySelectorAll('*')];
  const isSafe = all.every(
    (each) => each instanceof MathMLElement && !each.matches('[id], [href]'),
  );
  return isSafe ? all[0] : undefined;
}
