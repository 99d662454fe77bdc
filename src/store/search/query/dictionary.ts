import termFile from '../../../../data/field-terms.json' with { type: 'json' };
import { stemOf } from '../lexical/tokenise.ts';

/** A form in the words that it is made of. */
interface Form {
  words: readonly string[];
  english: string;
}

interface Found {
  start: number;
  end: number;
  english: string;
}

/** Shorter German forms are not looked for inside of compounds. */
const SHORTEST_PART = 5;
/** Shorter forms are whole words; longer ones are beginnings. */
const SHORTEST_BEGINNING = 4;
/** Shorter words that are alike in English are rather accidents, unless they are names. */
const SHORTEST_ALIKE = 6;
/** Fewer terms are too little to rank by. */
const ENOUGH = 2;
const WORD = /[\p{Script=Latin}\p{N}]+/gu;
const TERMS: readonly Readonly<Record<string, string | readonly string[]>>[] = termFile.terms;
/** Ends of words in a language, and what English has instead. */
const ENDINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = termFile.endings;

/**
 * The English terms of a question in `language`, in its order, without its grammar, with those of its
 * other words that `isHeld` tells of by their stem; null where too few are known.
 */
export function translate(
  question: string,
  language: string,
  isHeld: (stem: string) => boolean,
): string | null {
  const plain = fold(question);
  const found: Found[] = [];
  const isFree = (start: number, end: number) =>
    found.every((other) => end <= other.start || start >= other.end);
  for (const { words, english } of formsOf(language)) {
    const [first = ''] = words;
    const isPart =
      language === 'Chinese' ||
      (language === 'German' && words.length === 1 && first.length >= SHORTEST_PART);
    const head = isPart ? first : ` ${first}`;
    for (let at = plain.indexOf(head); at >= 0; at = plain.indexOf(head, at + 1)) {
      const start = at + head.length - first.length;
      const end = isPart ? start + first.length : endOf(plain, start, words);
      if (end !== null && isFree(start, end)) found.push({ start, end, english });
    }
  }
  const isNone = found.every(({ english }) => english === '');
  // Names, numbers and words that English shares.
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const end = index + word.length;
    if (word.length < 2 || !isFree(index, end)) continue;
    const alike = word.length < SHORTEST_ALIKE ? [] : alikeOf(word, language);
    const words = isName(question, index) ? [word, ...alike] : alike;
    const text = /^\d+$/.test(word) ? word : words.find((one) => isHeld(stemOf(one)));
    if (text !== undefined) found.push({ start: index, end, english: text });
  }
  const inOrder = found
    .sort((a, b) => a.start - b.start)
    .flatMap(({ english }) => english.split(' '));
  const terms = [...new Set(inOrder)].filter(Boolean);
  return isNone || terms.length < ENOUGH ? null : terms.join(' ');
}

/** A word as English may have it, the likeliest first. */
function alikeOf(word: string, language: string): string[] {
  const singular = word.replace(/(?<=[^s])s$/, '');
  const endings = Object.entries(ENDINGS[language] ?? {});
  return [
    word,
    ...endings.flatMap(([own, english]) =>
      singular.endsWith(own) ? singular.slice(0, -own.length) + english : [],
    ),
  ];
}

/** The forms of a language, the longest first. */
function formsOf(language: string): Form[] {
  return TERMS.flatMap(({ english, [language]: forms = [] }) =>
    [forms].flat().map((form) => ({ form, english: String(english) })),
  )
    .sort((a, b) => b.form.length - a.form.length)
    .map(({ form, english }) => ({ words: form.split(/[^\p{L}\p{N}]+/u), english }));
}

/** Where the words end that begin like those of a form, from `start` on; null where they do not. */
function endOf(plain: string, start: number, words: readonly string[]): number | null {
  let at = start;
  for (const [place, word] of words.entries()) {
    if (place > 0) {
      at = plain.indexOf(' ', at);
      while (plain[at] === ' ') at += 1;
    }
    if (!plain.startsWith(word, at)) return null;
    at += word.length;
    if (word.length < SHORTEST_BEGINNING && plain[at] !== ' ') return null;
  }
  return at;
}

/** Lower case without accents and punctuation, a space before and behind; otherwise as long as the text. */
function fold(text: string): string {
  const letters = [...text.normalize('NFC')].map((letter) => {
    const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    return plain.length === letter.length ? plain : letter.toLowerCase();
  });
  return ` ${letters.join('').replace(/[^\p{L}\p{N}]/gu, ' ')} `;
}

/** Whether the word at `index` of the folded text is written as a name, not at the beginning. */
function isName(question: string, index: number): boolean {
  const text = question.normalize('NFC');
  return /\p{L}/u.test(text.slice(0, index - 1)) && /\p{Lu}/u.test(text.charAt(index - 1));
}
