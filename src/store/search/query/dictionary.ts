import { stemOf } from '../lexical/tokenise.ts';

/** A term in English and its forms in other languages, by the language's English name. */
export type FieldTerm = Readonly<{ english: string } & Record<string, string | readonly string[]>>;

/** Languages that are written without spaces, or that join words. */
const JOINED = new Set(['Chinese', 'German']);
/** Shorter German forms are not looked for inside of compounds. */
const SHORTEST_PART = 5;
/** Fewer terms are too little to rank by. */
const ENOUGH = 2;
const WORD = /[\p{Script=Latin}\p{N}]+/gu;

interface Found {
  start: number;
  end: number;
  text: string;
}

/** Translates the terms of a field word by word; the grammar is lost. */
export class FieldDictionary {
  readonly #terms: readonly FieldTerm[];
  readonly #forms = new Map<string, readonly (readonly [form: string, english: string])[]>();

  constructor(terms: readonly FieldTerm[]) {
    this.#terms = terms;
  }

  /**
   * The English terms of a question in `language`, in its order, with those of its other words that
   * `isHeld` tells of by their stem; null where too few are known.
   */
  translate(question: string, language: string, isHeld: (stem: string) => boolean): string | null {
    const plain = fold(question);
    const found: Found[] = [];
    const isFree = (start: number, end: number) =>
      found.every((other) => end <= other.start || start >= other.end);
    for (const [form, english] of this.#formsOf(language)) {
      for (let start = plain.indexOf(form); start >= 0; start = plain.indexOf(form, start + 1)) {
        const end = start + form.length;
        const mayBeInside =
          JOINED.has(language) && (language !== 'German' || form.length >= SHORTEST_PART);
        const isBegun = start > 0 && /[\p{L}\p{N}]/u.test(plain.charAt(start - 1));
        if ((!isBegun || mayBeInside) && isFree(start, end)) {
          found.push({ start, end, text: english });
        }
      }
    }
    if (found.length < ENOUGH) return null;
    // Names, abbreviations and terms that are the same in English.
    for (const { 0: word, index } of plain.matchAll(WORD)) {
      const end = index + word.length;
      if (
        word.length > 1 &&
        isFree(index, end) &&
        isName(question, index) &&
        isHeld(stemOf(word))
      ) {
        found.push({ start: index, end, text: word });
      }
    }
    const inOrder = found.sort((a, b) => a.start - b.start).map(({ text }) => text);
    return [...new Set(inOrder)].join(' ');
  }

  /** The longest first. */
  #formsOf(language: string): readonly (readonly [form: string, english: string])[] {
    const known = this.#forms.get(language);
    if (known !== undefined) return known;
    const forms = this.#terms
      .flatMap((term) => [term[language] ?? []].flat().map((form) => [form, term.english] as const))
      .sort((a, b) => b[0].length - a[0].length);
    this.#forms.set(language, forms);
    return forms;
  }
}

/** Lower case without accents, of the same length as the text in composed form. */
function fold(text: string): string {
  return [...text.normalize('NFC')]
    .map((letter) => {
      const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
      return plain.length === letter.length ? plain : letter.toLowerCase();
    })
    .join('')
    .replaceAll('’', "'");
}

/** Whether the word at `index` is written as a name or an abbreviation, not at the beginning. */
function isName(question: string, index: number): boolean {
  return index > 0 && /\p{Lu}/u.test(question.normalize('NFC').charAt(index));
}
