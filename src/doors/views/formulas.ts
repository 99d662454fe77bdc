import temml from 'temml';

// Renders a paper's formulas as MathML. Their TeX is third-party text.

/** Maximum UTF-16 code units of TeX in one formula and in all formulas of a section. */
const MAX_TEX = { one: 2_000, all: 50_000 };
/** Maximum number of MathML elements in one formula and in all formulas of a paper. */
const MAX_ELEMENTS = { one: 2_000, all: 30_000 };
/** Limits in ems; longer lengths or more negative space would let a formula cover the text around it. */
const MAX_EMS = { length: 20, negative: 4 };
const LENGTH = /(-?[\d.]+(?:e\+\d+)?)(em|pt|px|mm|cm|in)/g;
const EMS: Readonly<Record<string, number>> = { pt: 1 / 12, px: 1 / 16, mm: 0.24, cm: 2.4, in: 6 };
/** Equivalents of commands that Temml lacks, or draws with styles that the page's policy forbids. */
const MACROS = {
  '\\mathbbm': '\\mathbb',
  '\\mathds': '\\mathbb',
  '\\mbox': '\\text',
  '\\pmb': '\\boldsymbol',
};
/** Macro definitions, which can expand a short formula endlessly. */
const DEFINITION = /\\(?:[egx]?def|(?:future)?let|[a-z]+command)(?![a-zA-Z])/;
/**
 * Escapes and code, which are skipped; display formulas, including those in lists and quotations; and inline
 * formulas which, unlike amounts of money, have no space just inside their dollar signs and no digit after them.
 */
const PIECES =
  /\\.|(?<!`)(`{1,3})(?!`).*?\1(?!`)|^([> ]*)\$\$\n(.*?)\n\2\$\$\n?|(\$\$?)(?![\s$])((?:\\.|[^\\$])*)(?<!\s)\4(?!\d)/gms;

/** Draws the formulas in a paper's text; any that cannot be drawn stay as TeX between dollar signs. */
export function withFormulas(text: string, paper: Element | null): (string | Element)[] {
  let elements = paper?.querySelectorAll(':is(math, math *)').length ?? 0;
  const parts: (string | Element)[] = [];
  let from = 0;
  let total = 0;
  for (const { 0: whole, 2: margin, 3: display, 5: inline, index } of text.matchAll(PIECES)) {
    const tex = display?.replaceAll(`\n${margin}`, '\n').slice(margin?.length) ?? inline;
    if (tex === undefined || tex.length > MAX_TEX.one) continue;
    if (total + tex.length > MAX_TEX.all) continue;
    total += tex.length;
    const all = drawn(tex, display !== undefined);
    const [math] = all;
    if (math === undefined || elements + all.length > MAX_ELEMENTS.all) continue;
    elements += all.length;
    parts.push(text.slice(from, index), math);
    from = index + whole.length;
  }
  return [...parts, text.slice(from)];
}

/** A formula's elements; none if the text is prose or cannot be drawn as plain MathML within the limits. */
function drawn(tex: string, displayMode: boolean): MathMLElement[] {
  // Words between two dollar amounts are prose, not TeX.
  if (DEFINITION.test(tex) || (!/[\\^_=]/.test(tex) && /[a-z]{2} [a-z]{2}/i.test(tex))) return [];
  const place = document.createElement('span');
  try {
    temml.render(tex, place, { displayMode, throwOnError: true, macros: { ...MACROS } });
  } catch {
    // A parse error, or a stack overflow from deep nesting.
    return [];
  }
  const all = [...place.querySelectorAll<MathMLElement>('*')];
  const isPlain = all.every(
    (each) => each instanceof MathMLElement && !each.matches('[id], [href], [mathbackground]'),
  );
  if (!isPlain || all.length > MAX_ELEMENTS.one || isFar(all)) return [];
  for (const each of all) {
    each.removeAttribute('mathcolor');
    each.style.color = '';
  }
  return all;
}

function isFar(elements: readonly Element[]): boolean {
  const lengths = elements
    .flatMap(({ attributes }) => [...attributes])
    .flatMap(({ value }) => [...value.matchAll(LENGTH)])
    .map(([, number, unit = '']) => Number(number) * (EMS[unit] ?? 1));
  const negative = lengths.reduce((sum, length) => sum - Math.min(0, length), 0);
  return negative > MAX_EMS.negative || lengths.some((length) => length > MAX_EMS.length);
}
