/** A word of a text in one form, and where it stands in the text. */
export interface Word {
  word: string;
  start: number;
  end: number;
}

/** A part of a text, in characters. */
interface Stretch {
  start: number;
  end: number;
}

/** Words of a sequence that is compared. */
const SEQUENCE = 3;
/** How much longer than the quote a passage may be. */
const STRETCH = 1.3;

/**
 * Reads a text word by word and finds where a quote stands in it, or else the stretch, not much longer
 * than the quote, with the most of its sequences. Keeps no more words of the text than a passage has.
 */
export class PassageSearch {
  readonly #quote: readonly string[];
  readonly #borders: readonly number[];
  readonly #size: number;
  readonly #sequences: ReadonlySet<string>;
  /** How many words of the quote match up to the last word. */
  #matched = 0;
  /** The last words of the text, as many as the quote has: by their number, in a ring. */
  readonly #recent: Word[] = [];
  #count = 0;
  /** The quote's sequences among the last words, and how many there are of each. */
  readonly #hits: (Stretch & { sequence: string; at: number })[] = [];
  readonly #inside = new Map<string, number>();
  #best: (Stretch & { count: number }) | undefined;

  constructor(quote: readonly string[]) {
    this.#quote = quote;
    this.#borders = bordersOf(quote);
    this.#size = Math.min(SEQUENCE, quote.length);
    const begin = quote.slice(0, quote.length - this.#size + 1);
    this.#sequences = new Set(begin.map((_, at) => quote.slice(at, at + this.#size).join(' ')));
  }

  /** Takes the next word; returns where the whole quote stands if it ends the quote. */
  read(word: Word): Stretch | undefined {
    this.#recent[this.#count % this.#quote.length] = word;
    this.#count += 1;
    // Knuth, Morris and Pratt: a word is looked at once, however often the quote almost stands there.
    this.#matched = extend(this.#quote, this.#borders, this.#matched, word.word);
    if (this.#matched === this.#quote.length) {
      return { start: this.#back(this.#matched)?.start ?? 0, end: word.end };
    }
    const words = Array.from({ length: this.#size }, (_, k) => this.#back(this.#size - k));
    const sequence = words.map((each) => each?.word).join(' ');
    if (this.#sequences.has(sequence)) this.#enter(sequence, words[0]?.start ?? 0, word.end);
    return undefined;
  }

  /** The passage so far with the most of the quote's sequences, and their share of all. */
  get best(): (Stretch & { share: number }) | undefined {
    if (this.#best === undefined) return undefined;
    const { start, end, count } = this.#best;
    return { start, end, share: count / this.#sequences.size };
  }

  /** The word so many words back, 1 for the last. */
  #back(words: number): Word | undefined {
    return this.#recent[(this.#count - words) % this.#quote.length];
  }

  #enter(sequence: string, start: number, end: number): void {
    const at = this.#count;
    this.#hits.push({ sequence, at, start, end });
    this.#inside.set(sequence, (this.#inside.get(sequence) ?? 0) + 1);
    for (let [first] = this.#hits; first !== undefined; [first] = this.#hits) {
      if (at - first.at <= Math.ceil(this.#quote.length * STRETCH)) break;
      this.#hits.shift();
      const left = (this.#inside.get(first.sequence) ?? 1) - 1;
      if (left === 0) this.#inside.delete(first.sequence);
      else this.#inside.set(first.sequence, left);
    }
    const count = this.#inside.size;
    if (count > (this.#best?.count ?? 0)) {
      this.#best = { count, start: this.#hits[0]?.start ?? start, end };
    }
  }
}

/** Of each beginning of the words, how many of its first words are also its last, short of all. */
function bordersOf(words: readonly string[]): number[] {
  const borders = [0];
  for (const word of words.slice(1)) {
    borders.push(extend(words, borders, borders.at(-1) ?? 0, word));
  }
  return borders;
}

/** How many of the sought words match up to the next word, if `matched` did up to the one before. */
function extend(
  sought: readonly string[],
  borders: readonly number[],
  matched: number,
  word: string,
): number {
  let kept = matched;
  while (kept > 0 && sought[kept] !== word) kept = borders[kept - 1] ?? 0;
  return sought[kept] === word ? kept + 1 : 0;
}
