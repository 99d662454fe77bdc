import { stemOf, tokenise } from '../../../search/tokenise.ts';

/** Letters of a term that its words begin with. */
const LETTERS = 3;
/** What may stand within a compound or a number, for a class of a pattern: S&P, p-value, 0.5, 1,000. */
const JOINERS = "\\-‐‑–'’&.,";
/** Letters of a term as its words may have them: aetiology, haemorrhage, sceptic, grey. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['a', 'ae'],
  ['e', 'eao'],
  ['k', 'kc'],
]);
/** What may be a letter in another form: accented, Greek, a ligature. Dashes and quotes are none. */
const FOREIGN = '[^\\x00-\\x7f\\u2000-\\u206f]';
const FIRST_FOREIGN = 0x80;
/** In a number, as `tokenise` writes it. */
const POINT = /(?<=\d)point(?=\d)/g;
/** Read as one word, as `tokenise` does. */
const SPACED_COUNTRY = /\bU\.\s(?=S\.)/g;
/** A word that `tokenise` only stems, with the punctuation around it. */
const PLAIN = /^[("'[]*([A-Z]?[a-z]+)[.,:;!?)"'\]]*$/;

/**
 * Counts terms in texts, as often as `tokenise` finds them there. Only what begins like one of the
 * terms is taken apart, and that once: all words of a long paper would take many times as long.
 */
export function termCounter(terms: readonly string[]): (text: string) => Map<string, number> {
  if (terms.length === 0) return () => new Map();
  const wanted = new Set(terms);
  const beginnings = [...new Set(terms.map(beginningOf))].join('|');
  const pattern = new RegExp(`${beginnings}|${FOREIGN}`, 'gi');
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const counts = new Map<string, number>();
    for (const written of likelyWords(text.replace(SPACED_COUNTRY, 'U.'), pattern)) {
      const found = known.get(written) ?? stemsOf(written).filter((term) => wanted.has(term));
      known.set(written, found);
      for (const term of found) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    return counts;
  };
}

/** What stands between two spaces and holds a word that begins as the pattern says, in order. */
function likelyWords(text: string, pattern: RegExp): string[] {
  const words: string[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { index } = match;
    // To look behind in the pattern takes longer.
    if (isPlainLetter(text.charCodeAt(index - 1)) && text.charCodeAt(index) < FIRST_FOREIGN) {
      pattern.lastIndex = index + 1;
      continue;
    }
    const space = text.indexOf(' ', index);
    const end = space === -1 ? text.length : space;
    words.push(text.slice(text.lastIndexOf(' ', index) + 1, end));
    pattern.lastIndex = end;
  }
  return words;
}

/** Whether a character is an ASCII letter or digit. */
function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

function stemsOf(written: string): string[] {
  const [, word] = PLAIN.exec(written) ?? [];
  return word === undefined ? tokenise(written) : [stemOf(word.toLowerCase())];
}

/**
 * A pattern that fits the beginning of every word with a term, and of some others. The last letter
 * of a term may differ from its words (try, US); a joiner or a British vowel moves letters by one.
 */
function beginningOf(term: string): string {
  const length = Math.max(1, Math.min(LETTERS, term.length - 1));
  const letters = term.replaceAll(POINT, '').slice(0, length);
  const classes = Array.from(letters, (_, at) => {
    const [before, here] = [letters.charAt(at - 1), letters.charAt(at)];
    const written = WRITTEN.get(here) ?? here;
    return at === 0 ? `[${written}]` : `[${written}${before}${JOINERS}]`;
  });
  // A term of one letter is a word by itself.
  return `${classes.join('')}${term.length === 1 ? '(?![a-df-hj-z0-9])' : ''}`;
}
