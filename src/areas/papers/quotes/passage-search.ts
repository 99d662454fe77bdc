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
 * Reads a text word by word and finds where a quote stands in it, or what comes nearest. Keeps no more
 * words of the text than a passage has.
 */
export class PassageSearch {
  readonly #quote: readonly string[];
  readonly #borders: readonly number[];
  /** How many words of the quote match up to the last word. */
  #matched = 0;
  /** Where the last words of the text stand, as many as the quote has: by their number, in a ring. */
  readonly #starts: number[] = [];
  #count = 0;
  readonly #nearest: NearestPassage;

  constructor(quote: readonly string[]) {
    this.#quote = quote;
    this.#borders = bordersOf(quote);
    this.#nearest = new NearestPassage(quote);
  }

  /** Takes the next word; returns where the whole quote stands if it ends the quote. */
  read(word: Word): Stretch | undefined {
    const size = this.#quote.length;
    this.#starts[this.#count % size] = word.start;
    this.#count += 1;
    // Knuth, Morris and Pratt: a word is looked at once, however often the quote almost stands there.
    this.#matched = extend(this.#quote, this.#borders, this.#matched, word.word);
    if (this.#matched === size) {
      return { start: this.#starts[this.#count % size] ?? 0, end: word.end };
    }
    this.#nearest.read(word);
    return undefined;
  }

  /** The passage so far with the most of the quote's sequences, and their share of all. */
  get best(): (Stretch & { share: number }) | undefined {
    return this.#nearest.best;
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

/** One of the quote's sequences in the text: the number of its first word, and where it stands. */
interface Hit extends Stretch {
  sequence: string;
  at: number;
}

/** Finds the stretch of a text, not much longer than the quote, with the most of its sequences. */
class NearestPassage {
  readonly #size: number;
  readonly #length: number;
  readonly #asked: ReadonlySet<string>;
  /** Most words of a text begin none of the sequences. */
  readonly #begin: ReadonlySet<string>;
  #recent: Word[] = [];
  #count = 0;
  /** The hits of the last `#length` words, and how many there are of each sequence. */
  readonly #hits: Hit[] = [];
  readonly #inside = new Map<string, number>();
  #best: (Stretch & { count: number }) | undefined;

  constructor(quote: readonly string[]) {
    this.#size = Math.min(SEQUENCE, quote.length);
    this.#length = Math.ceil(quote.length * STRETCH);
    const begin = quote.slice(0, quote.length - this.#size + 1);
    this.#begin = new Set(begin);
    this.#asked = new Set(begin.map((_, at) => quote.slice(at, at + this.#size).join(' ')));
  }

  get best(): (Stretch & { share: number }) | undefined {
    const best = this.#best;
    return best && { start: best.start, end: best.end, share: best.count / this.#asked.size };
  }

  read(word: Word): void {
    this.#recent.push(word);
    if (this.#recent.length > this.#size) this.#recent.shift();
    this.#count += 1;
    const [first] = this.#recent;
    if (this.#recent.length < this.#size || first === undefined) return;
    if (!this.#begin.has(first.word)) return;
    const sequence = this.#recent.map((each) => each.word).join(' ');
    if (!this.#asked.has(sequence)) return;
    const at = this.#count - this.#size;
    this.#enter({ sequence, at, start: first.start, end: word.end });
  }

  #enter(hit: Hit): void {
    this.#hits.push(hit);
    this.#inside.set(hit.sequence, (this.#inside.get(hit.sequence) ?? 0) + 1);
    for (let [first] = this.#hits; first !== undefined; [first] = this.#hits) {
      if (hit.at - first.at <= this.#length) break;
      this.#hits.shift();
      const left = (this.#inside.get(first.sequence) ?? 1) - 1;
      if (left === 0) this.#inside.delete(first.sequence);
      else this.#inside.set(first.sequence, left);
    }
    const count = this.#inside.size;
    if (count > (this.#best?.count ?? 0)) {
      this.#best = { count, start: this.#hits[0]?.start ?? hit.start, end: hit.end };
    }
  }
}
