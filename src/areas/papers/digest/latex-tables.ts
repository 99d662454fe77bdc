/** TeX's accents as combining characters. */
export const ACCENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '`': '\u0300',
    "'": '\u0301',
    '^': '\u0302',
    '~': '\u0303',
    '=': '\u0304',
    u: '\u0306',
    '.': '\u0307',
    '"': '\u0308',
    r: '\u030a',
    H: '\u030b',
    v: '\u030c',
    d: '\u0323',
    c: '\u0327',
    k: '\u0328',
    b: '\u0331',
  }),
);

/** Commands for letters. */
export const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ss: 'ß',
    o: 'ø',
    O: 'Ø',
    l: 'ł',
    L: 'Ł',
    ae: 'æ',
    AE: 'Æ',
    oe: 'œ',
    OE: 'Œ',
    aa: 'å',
    AA: 'Å',
    i: 'i',
    j: 'j',
  }),
);

/** Signs that read the same in text and in formulas. */
const SIGNS = {
  approx: '≈',
  sim: '~',
  leq: '≤',
  le: '≤',
  geq: '≥',
  ge: '≥',
  pm: '±',
  to: '→',
  rightarrow: '→',
  dots: '…',
  ldots: '…',
};

/** Text commands without an argument, and what they print; all others are dropped. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...SIGNS,
    textendash: '–',
    textemdash: '—',
    textellipsis: '…',
    textquoteleft: '‘',
    textquoteright: '’',
    textquotedblleft: '“',
    textquotedblright: '”',
    textregistered: '®',
    texttrademark: '™',
    copyright: '©',
    textdegree: '°',
    euro: '€',
    texteuro: '€',
    EUR: '€',
    pounds: '£',
    textsterling: '£',
    textdollar: '$',
    textyen: '¥',
    S: '§',
    LaTeX: 'LaTeX',
    TeX: 'TeX',
    textasciitilde: '~',
    textbackslash: '\\',
    textunderscore: '_',
    alpha: 'α',
    beta: 'β',
    gamma: 'γ',
    delta: 'δ',
    sigma: 'σ',
    mu: 'μ',
    ell: 'ℓ',
    times: '×',
    infty: '∞',
  }),
);

/** Commands dropped along with their argument, such as references to what is not in the text. */
export const DROPPED =
  /^(?:cite\w*|[a-zA-Z]*ref|label|footnote\w*|thanks|input|include\w*|bibliography\w*|vspace|hspace|color)$/;

const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega';
const NAMED =
  'log ln exp max min sup inf lim arg argmax argmin det tr cov var corr sin cos tan sinh cosh tanh';

/** Math commands and the words that replace them; all others are dropped. */
export const COMMAND_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...Object.fromEntries(
      GREEK.split(' ').flatMap((name) => [
        [name, name],
        [`var${name}`, name],
        [`${name[0]?.toUpperCase()}${name.slice(1)}`, name],
      ]),
    ),
    ...Object.fromEntries(NAMED.split(' ').map((name) => [name, name])),
    ...SIGNS,
    infty: 'infinity',
    ell: 'l',
    sqrt: 'sqrt',
    sum: 'sum',
    int: 'integral',
    partial: 'partial',
    nabla: 'gradient',
    times: 'x',
    cdot: '',
    neq: '≠',
    in: 'in',
    equiv: '=',
    simeq: '≈',
    lesssim: '≤',
    gtrsim: '≥',
    mapsto: '→',
    mid: '|',
    cdots: '…',
    top: 'T',
    setminus: 'without',
  }),
);

/** Names of Greek letters, variants included, so that "σ" and "\sigma" are the same word. */
export const GREEK_NAMES: ReadonlyMap<string, string> = new Map(
  'α alpha,β beta,γ gamma,δ delta,ε epsilon,ϵ epsilon,ζ zeta,η eta,θ theta,ϑ theta,ι iota,κ kappa,λ lambda,μ mu,ν nu,ξ xi,π pi,ρ rho,σ sigma,τ tau,υ upsilon,φ phi,ϕ phi,χ chi,ψ psi,ω omega'
    .split(',')
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]),
);
