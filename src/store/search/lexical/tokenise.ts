import { stemmer } from 'stemmer';
import { americanSpelling } from './spelling.ts';

/** Words of a query beyond this many add cost and no meaning. */
export const MAX_TERMS = 64;
/** A compound of more parts, or longer, is no word that anyone types in one. */
const MAX_PARTS = 3;
const MAX_COMPOUND = 30;
/** Longer runs of letters are no words; the rest of them is left out. */
const MAX_LETTERS = 40;

// Function words and the words of asking; kept short, since a stop word that is also a term of
// the field ("call", "put", "future") must stay.
const STOP_WORDS = new Set(
  `a about above after again all also am an and any anyone are as at be because been before being
  below between both but by can could did do does doing down during each few find for from further
  get give had has have having he her here hers him his how i if in into is it its itself just know
  like me more most much my no nor not of off on once only or other our out over own paper papers
  please research same she should show so some something study studies such tell than that the their
  them then there these they this those through to too under until up us use used using very was we
  were what when where which while who whom why will with would you your`
    .split(/\s+/)
    .filter(Boolean),
);

const GREEK: Readonly<Record<string, string>> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  ε: 'epsilon',
  ζ: 'zeta',
  η: 'eta',
  θ: 'theta',
  κ: 'kappa',
  λ: 'lambda',
  μ: 'mu',
  ν: 'nu',
  ξ: 'xi',
  π: 'pi',
  ρ: 'rho',
  σ: 'sigma',
  ς: 'sigma',
  τ: 'tau',
  φ: 'phi',
  χ: 'chi',
  ψ: 'psi',
  ω: 'omega',
};

/** Words with the signs that tie parts of one: 10-year, S&P, Black–Scholes, 0.5, q-fin.ST. */
const WORD = /[\p{L}\p{N}]+(?:[-‐‑–'’&.][\p{L}\p{N}]+)*/gu;
const TIE = /[-‐‑–'’&.]/u;

/**
 * What a text is found by: lower-case stems in their order, in one alphabet of spellings. A compound
 * yields its parts and, behind them, the parts as one word, so that "non-linear", "nonlinear" and
 * "non linear" meet. The same function reads cards and questions.
 */
export function tokenise(text: string): string[] {
  return wordsOf(text).flatMap(stemsOf);
}

/** A term of a query. */
export interface QueryTerm {
  /** Stemmed. */
  term: string;
  /** A compound as one word, beside its parts: a card that does not write it so lacks nothing. */
  isCompound: boolean;
  /** From another name of what the query names. */
  isSynonym: boolean;
}

/**
 * The terms of a query that carry meaning: without stop words, each once, in order. When nothing
 * but stop words was asked, those are kept.
 */
export function queryTerms(query: string): QueryTerm[] {
  const words = [...new Set(wordsOf(query))];
  const content = words.filter((word) => !STOP_WORDS.has(word));
  const terms = new Map<string, boolean>();
  for (const word of (content.length > 0 ? content : words).slice(0, MAX_TERMS)) {
    const { parts, compound } = splitWord(word);
    for (const stem of parts) terms.set(stem, false);
    if (compound !== null && !terms.has(compound)) terms.set(compound, parts.length > 0);
  }
  return [...terms]
    .slice(0, MAX_TERMS)
    .map(([term, isCompound]) => ({ term, isCompound, isSynonym: false }));
}

/** Whether a word, in any case, carries no meaning of its own. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

/** The stems of a text in their order, compounds by their parts alone. */
export function plainStems(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    const { parts, compound } = splitWord(word);
    return parts.length > 0 ? parts : (compound ?? []);
  });
}

/** The United States as one word: in capitals the country, in small letters the pronoun. */
export function spellCountry(text: string): string {
  return text.replace(/\bU\.\s?S\.(?:\s?A\.)?|\bU\.S\b|\bUSA?\b/g, 'USA');
}

function wordsOf(text: string): string[] {
  const plain = spellCountry(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[α-ω]/g, (letter) => ` ${GREEK[letter] ?? letter} `);
  return plain.match(WORD) ?? [];
}

function stemsOf(word: string): string[] {
  const { parts, compound } = splitWord(word);
  return compound === null ? parts : [...parts, compound];
}

/** The stems of a word's parts, and of the whole where it has several. */
function splitWord(word: string): { parts: string[]; compound: string | null } {
  // A number keeps its point: 0.5 is not 5.
  if (/^\d+(?:\.\d+)+$/.test(word))
    return { parts: [word.replaceAll('.', 'point')], compound: null };
  const parts = word
    .replace(/['’]s$/u, '')
    .split(TIE)
    .filter(Boolean);
  const whole = parts.join('');
  if (parts.length === 1) return { parts: [stemOf(whole)], compound: null };
  const isWord = parts.length <= MAX_PARTS && whole.length <= MAX_COMPOUND;
  if (!isWord) return { parts: parts.map(stemOf), compound: null };
  // The single letters of S&P or U.K. mean nothing apart; those of p-value do.
  const apart = /[&.]/.test(word) ? parts.filter((part) => part.length > 1) : parts;
  return { parts: apart.map(stemOf), compound: stemOf(whole) };
}

function stemOf(word: string): string {
  return stemmer(americanSpelling(word.slice(0, MAX_LETTERS)));
}
