import { findFormulas } from '../../digest/latex.ts';
import { escapeTex } from './escape.ts';

/** Commands that only typeset mathematics; a formula with any other is escaped as text. */
const MATH_COMMANDS = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
  varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi
  Sigma Upsilon Phi Psi Omega ell hbar imath jmath infty partial nabla emptyset aleph Re Im prime
  log ln exp sin cos tan sinh cosh tanh max min sup inf lim limsup liminf arg det dim deg ker Pr
  sum prod int iint oint bigcup bigcap frac dfrac tfrac binom sqrt operatorname
  mathbb mathbf mathcal mathfrak mathit mathrm mathscr mathsf mathtt boldsymbol bm rm bf cal it
  hat widehat tilde widetilde bar overline underline vec dot ddot check breve acute grave
  times cdot div pm mp ast star circ bullet oplus otimes wedge vee cup cap setminus
  le leq ge geq ne neq ll gg lt gt approx sim simeq cong equiv propto prec succ perp parallel mid
  in notin ni subset subseteq supset supseteq forall exists neg not
  to gets mapsto rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow longrightarrow
  uparrow downarrow lbrace rbrace langle rangle lfloor rfloor lceil rceil vert Vert
  ldots cdots dots quad qquad dagger top bot lesssim gtrsim text textrm textit`.split(/\s+/),
);

/**
 * The title of a bibliography entry, from one line: formulas stay TeX, the rest is escaped, and words
 * whose capitals matter are in braces, since many styles lower-case titles.
 */
export function titleToBibtex(title: string): string {
  const isProper = properNouns(title);
  const isAllCapitals = /\s/.test(title) && !/\p{Ll}/u.test(title);
  let out = '';
  let from = 0;
  const addText = (text: string) => {
    for (const word of text.split(/(\s+)/)) {
      const isFirst = out === '' || out.endsWith(': ');
      out += isAllCapitals ? escapeTex(word) : protectWord(word, isFirst ? () => false : isProper);
    }
  };
  for (const { index, end, tex } of findFormulas(title)) {
    const math = mathToBibtex(tex);
    if (math === null) continue;
    addText(title.slice(from, index));
    out += math;
    from = end;
  }
  addText(title.slice(from));
  return out;
}

/** In braces, so that no style changes its case; null unless it is plain, balanced mathematics. */
function mathToBibtex(tex: string): string | null {
  const math = tex
    .replace(/\\\{/g, '\\lbrace ')
    .replace(/\\\}/g, '\\rbrace ')
    .replace(/(?<!\\)[%#]/g, '\\$&')
    .trim();
  const commands = math.match(/\\[A-Za-z]+|\\[\s\S]?/g) ?? [];
  const isHarmless = commands.every((command) => {
    return MATH_COMMANDS.has(command.slice(1)) || /^\\[,;:!| %#$&_-]$/.test(command);
  });
  // "^^" with two hex digits is TeX notation for any character, including a backslash.
  if (!isHarmless || /(?<!\\)[&$]|\^\^/.test(math) || !isBalanced(math)) return null;
  return `{$${math}$}`;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/**
 * A test for proper nouns: in a title in sentence case, every capitalised word is one; in title case
 * they cannot be told apart, so none is.
 */
function properNouns(title: string): (part: string) => boolean {
  const words = title.split(/[\s–—/-]+/).slice(1);
  const long = words.filter((word) => /^\p{L}{4}/u.test(word));
  const capitalised = long.filter((word) => /^\p{Lu}/u.test(word)).length;
  const isSentence = capitalised < long.length / 2;
  return (part) => isSentence && /^\p{Lu}\p{Ll}/u.test(part);
}

/** Braces a word, without its punctuation, when its capitals matter: "SPX", "McKean", "U.S.", "Q". */
function protectWord(word: string, isProper: (part: string) => boolean): string {
  const [, before = '', core = '', after = ''] =
    /^([^\p{L}\p{N}]*)(.*?(?:(?<=\.\p{Lu})\.)?)([^\p{L}\p{N}]*)$/su.exec(word) ?? [];
  const needsCapital = core.split(/[-–—/]/).some((part) => {
    return /.\p{Lu}/su.test(part) || /^(?![AI]$)\p{Lu}$/u.test(part) || isProper(part);
  });
  const escaped = escapeTex(core);
  return escapeTex(before) + (needsCapital ? `{${escaped}}` : escaped) + escapeTex(after);
}
