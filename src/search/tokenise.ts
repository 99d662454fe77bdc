import { stemmer } from 'stemmer';
import { foldCase } from '../core/text.ts';

/** Maximum number of query stems; more add cost but no meaning. */
export const MAX_TERMS = 64;
/** Compounds with more parts or letters than this are not indexed in joined form. */
const MAX_PARTS = 3;
const MAX_COMPOUND = 30;
/** Longer words are truncated. */
const MAX_LETTERS = 40;

// Function words, question words and words such as "paper" and "newest". Do not list financial terms: "call".
const STOP_WORDS = new Set(
  `a about above after again all also am an and any anyone are as at be because been before being
  below between both but by can could did do does doing down during each few find for from further
  get give had has have having he her here hers him his how i if in into is it its itself just know
  latest like me more most much my newest no nor not of off on once only or other our out over own
  paper papers please recent recently research same she should show since so some something study
  studies such tell than that the their them then there these they this those through to too under
  until up us use used using very was we were what when where which while who whom why will with
  would you your`
    .split(/\s+/)
    .filter(Boolean),
);

/** Names that the stemmer would conflate with "BoE", "franc" and "USD". */
const UNSTEMMED = new Set(['boeing', 'france', 'usde']);

/** Letter names from alpha to omega. Sigma is listed twice: its final form comes first. */
const GREEK: Readonly<Record<string, string>> = Object.fromEntries(
  `alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma
  tau upsilon phi chi psi omega`
    .split(/\s+/)
    .map((name, at) => [String.fromCodePoint(0x3b1 + at), name]),
);

/** British endings to replace: -ise here, -our and -lyse below. The stemmer unifies -lling and -ling. */
const IZE = /(?<=^\w{2,40})is(?=(?:e|ed|es|er|ers|ing|ation|ations|ational)$)/;
/** Words in -ise that have no -ize form, up to the "s". */
const NEVER_Z =
  /^(?:adverti|advi|ari|apprai|brui|compri|compromi|conci|crui|demi|despi|devi|disgui|enterpri|exci|exerci|experti|franchi|improvi|likewi|merchandi|noi|otherwi|paradi|poi|prai|preci|premi|promi|rai|revi|ri|supervi|surpri|televi|treati|wi)s/;
const OUR = /(?<=behavi|endeav|fav|^lab|neighb)our(?=$|s|e|i|a|h|l)/;
const LYSE = /(?<=ana|cata)lys(?=(?:e|ed|er|ers|es|ing)$)/;

/** A word, including characters that join its parts: 10-year, S&P, Black–Scholes, 0.5, q-fin.ST. */
const WORD = /[\p{L}\p{N}]+(?:[-‐‑–'’&.][\p{L}\p{N}]+)*/gu;
const JOINER = /[-‐‑–'’&.]/u;
/** A number with thousands separators: 100,000. */
const THOUSANDS = /(?<![\d.]|\d,)\d{1,3}(?:,\d{3}){1,4}(?!,?\d)/g;

/**
 * The stems under which a text is indexed, in order: lower case, normalised spelling. A compound has the
 * stems of its parts and then of its joined form, so that "non linear" and "nonlinear" find "non-linear".
 */
export function tokenise(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    const { parts, compound } = splitWord(word);
    return compound === null ? parts : [...parts, compound];
  });
}

const STOP_STEMS = new Set([...STOP_WORDS].map(stemOf));

/** The first `MAX_TERMS` distinct stems of a query, without stop words unless it has no other words. */
export function queryStems(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const content = words.filter((word) => !STOP_WORDS.has(word));
  const stems = (content.length > 0 ? content : words).flatMap(partStemsOf);
  return [...new Set(stems)].slice(0, MAX_TERMS);
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

export function isStopStem(stem: string): boolean {
  return STOP_STEMS.has(stem);
}

/** The stems of a text, in order. Compounds have only their parts, except abbreviations such as U.K. */
export function plainStems(text: string): string[] {
  return wordsOf(text).flatMap(partStemsOf);
}

/** The stems of a word's parts, or of its joined form if its parts are noise, as in U.K. */
function partStemsOf(word: string): string[] {
  const { parts, compound } = splitWord(word);
  return parts.length > 0 || compound === null ? parts : [compound];
}

/** Writes the United States as "USA"; "us" in lower case is the pronoun. */
function spellCountry(text: string): string {
  return text.replace(/\bU\.\s?S\.(?:\s?A\.)?|\bU\.S\b|\bUSA?\b/g, 'USA');
}

function wordsOf(text: string): string[] {
  const plain = foldCase(spellCountry(text))
    .replace(THOUSANDS, (number) => number.replaceAll(',', ''))
    .replace(/[α-ω]/g, (letter) => ` ${GREEK[letter] ?? letter} `);
  return plain.match(WORD) ?? [];
}

/** The stems of a word's parts and, if it is a short compound, of its joined form. */
function splitWord(word: string): { parts: string[]; compound: string | null } {
  // A number keeps its decimal point: 0.5 is not 5.
  if (/^\d+(?:\.\d+)+$/.test(word))
    return { parts: [word.replaceAll('.', 'point')], compound: null };
  const parts = word
    .replace(/['’]s$/u, '')
    .split(JOINER)
    .filter(Boolean);
  const whole = parts.join('');
  if (parts.length === 1) return { parts: [stemOf(whole)], compound: null };
  const isWord = parts.length <= MAX_PARTS && whole.length <= MAX_COMPOUND;
  if (!isWord) return { parts: parts.map(stemOf), compound: null };
  // Single letters are noise in S&P and U.K., but not in p-value.
  const meaningful = /[&.]/.test(word) ? parts.filter((part) => part.length > 1) : parts;
  return { parts: meaningful.map(stemOf), compound: stemOf(whole) };
}

/** The stem of a lower-case word. */
export function stemOf(word: string): string {
  if (UNSTEMMED.has(word)) return word;
  const spelled = NEVER_Z.test(word) ? word : word.replace(IZE, 'iz');
  return stemmer(spelled.replace(OUR, 'or').replace(LYSE, 'lyz').slice(0, MAX_LETTERS));
}
