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

/** Letters that have a command of their own. */
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

/** Commands without an argument that stand for something in text; all others vanish. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    textendash: '–',
    textemdash: '—',
    ldots: '…',
    dots: '…',
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
    pm: '±',
    approx: '≈',
    sim: '~',
    leq: '≤',
    le: '≤',
    geq: '≥',
    ge: '≥',
    to: '→',
    rightarrow: '→',
    infty: '∞',
  }),
);

/** Commands that go together with their argument: references to what is not here. */
export const DROPPED =
  /^(?:cite\w*|[a-zA-Z]*ref|label|footnote\w*|thanks|input|include\w*|bibliography\w*|vspace|hspace|color)$/;

const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega';
const NAMED =
  'log ln exp max min sup inf lim arg argmax argmin det tr cov var corr sin cos tan sinh cosh tanh';

/** Commands that are read as words in a formula; all others are silent. */
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
    infty: 'infinity',
    ell: 'l',
    sqrt: 'sqrt',
    sum: 'sum',
    int: 'integral',
    partial: 'partial',
    nabla: 'gradient',
    times: 'x',
    cdot: '',
    approx: '≈',
    sim: '~',
    leq: '≤',
    le: '≤',
    geq: '≥',
    ge: '≥',
    neq: '≠',
    pm: '±',
    to: '→',
    rightarrow: '→',
  }),
);
