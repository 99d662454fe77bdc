import temml from 'temml';

// Renders the formulas of a paper as MathML. Their TeX is third-party text.

/** Maximum UTF-16 code units in one formula, and in all formulas of a text. */
const MOST = { one: 2_000, all: 50_000 };
/** Equivalents of commands that Temml lacks, or draws with styles that the page's policy forbids. */
const MACROS = {
  '\\mathbbm': '\\mathbb',
  '\\mathds': '\\mathbb',
  '\\mbox': '\\text',
  '\\pmb': '\\boldsymbol',
};
/** Macro definitions can expand a short formula endlessly. */
const DEFINITION = /\\(?:[egx]?def|(?:future)?let|[a-z]+command)(?![a-zA-Z])/;
/**
 * Escapes and code, which are left alone; a display formula, perhaps in a list or a quotation; an inline
 * formula, as opposed to dollar amounts, whose signs are followed by spaces or digits.
 */
const PIECES =
  /\\.|(?<!`)(`{1,3})(?!`).*?\1(?!`)|^([> ]*)\$\$\n(.*?)\n\2\$\$\n?|(\$\$?)(?![\s$])((?:\\.|[^\\$])*)(?<!\s)\4(?!\d)/gms;

/** Draws the formulas in a text; any that cannot be drawn stay as TeX between dollar signs. */
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

/** Undefined if Temml does not know the TeX, or if the text is not exactly one formula. */
function drawn(tex: string, displayMode: boolean): Element | undefined {
  // Words stand between two dollar amounts.
  if (DEFINITION.test(tex) || (!/[\\^_=]/.test(tex) && /[a-z]{2} [a-z]{2}/i.test(tex)))
    return undefined;
  const place = document.createElement('span');
  try {
    temml.render(tex, place, { displayMode, throwOnError: true, macros: { ...MACROS } });
  } catch {
    // Besides Temml's own errors, deep nesting overflows the stack.
    return undefined;
  }
  const all = [...place.querySelectorAll('*')];
  const isSafe = all.every(
    (each) => each instanceof MathMLElement && !each.matches('[id], [href]'),
  );
  return isSafe ? all[0] : undefined;
}
