/** A word of a text in one form, and where it stands in the text. */
interface Word {
  word: string;
  start: number;
  end: number;
}

/** Words of a sequence that is compared. */
const SEQUENCE = 3;
/** How much longer than the quote a passage may be. */
const STRETCH = 1.3;
/** Characters of the text shown before and after what matches. */
const MARGIN = 160;
/** Characters of a passage that are shown. */
const MAX_PASSAGE = 1_500;

/** How a text holds a quote. */
export interface Likeness {
  /** Every word in its order, without regard to case, accents, punctuation and white space. */
  isExact: boolean;
  /** Share of the quote's sequences of three words that stand in the passage. */
  share: number;
  /** The passage with what surrounds it. */
  passage: string;
}

/** The words of a text without case and accents. */
export function wordsOf(text: string): string[] {
  return readWords(text).map(({ word }) => word);
}

function readWords(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: written, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const place = { start: index, end: index + written.length };
    for (const word of formsOf(written)) words.push({ word, ...place });
  }
  return words;
}

/** A written word without case and accents; ligatures and fractions may hold several. */
function formsOf(written: string): readonly string[] {
  if (/^[\x20-\x7e]+$/.test(written)) return [written.toLowerCase()];
  const plain = written
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The passage of a text that is most like a quote; undefined where no sequence of words is the same. */
export function findPassage(text: string, quote: readonly string[]): Likeness | undefined {
  const words = readWords(text);
  const passage = (from: number, to: number) =>
    surround(text, words[from]?.start ?? 0, words[to]?.end ?? text.length);
  const plain = words.map(({ word }) => word);
  const whole = indexOfWords(plain, quote);
  if (whole >= 0) {
    return { isExact: true, share: 1, passage: passage(whole, whole + quote.length - 1) };
  }
  const size = Math.min(SEQUENCE, quote.length);
  const asked = new Set(sequencesOf(quote, size));
  // Most words of a text begin none of the sequences.
  const begin = new Set(quote.slice(0, quote.length - size + 1));
  const found = plain.flatMap((word, at) => {
    if (!begin.has(word)) return [];
    const sequence = plain.slice(at, at + size).join(' ');
    return asked.has(sequence) ? [{ sequence, at }] : [];
  });
  const best = findDensest(found, Math.ceil(quote.length * STRETCH));
  return (
    best && {
      isExact: false,
      share: best.count / asked.size,
      passage: passage(best.from, best.to + size - 1),
    }
  );
}

/**
 * Where the sought words begin in a text; -1 where they do not stand. Knuth, Morris and Pratt: each
 * word of the text is looked at once, however often the sought words almost stand in it.
 */
function indexOfWords(words: readonly string[], sought: readonly string[]): number {
  const borders = bordersOf(sought);
  let matched = 0;
  for (const [at, word] of words.entries()) {
    matched = extend(sought, borders, matched, word);
    if (matched === sought.length) return at - matched + 1;
  }
  return -1;
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

function sequencesOf(words: readonly string[], size: number): string[] {
  return words
    .slice(0, Math.max(0, words.length - size + 1))
    .map((_, at) => words.slice(at, at + size).join(' '));
}

interface Hit {
  sequence: string;
  at: number;
}

/** The stretch of at most `length` words that holds the most different sequences. */
function findDensest(hits: readonly Hit[], length: number) {
  const inside = new Map<string, number>();
  let best: { count: number; from: number; to: number } | undefined;
  let first = 0;
  for (const { sequence, at } of hits) {
    inside.set(sequence, (inside.get(sequence) ?? 0) + 1);
    for (let hit = hits[first]; hit !== undefined && at - hit.at > length; hit = hits[first]) {
      const left = (inside.get(hit.sequence) ?? 1) - 1;
      if (left === 0) inside.delete(hit.sequence);
      else inside.set(hit.sequence, left);
      first += 1;
    }
    if (inside.size > (best?.count ?? 0)) {
      best = { count: inside.size, from: hits[first]?.at ?? at, to: at };
    }
  }
  return best;
}

/** The passage and its margins, on one line, from one white space to another. */
function surround(text: string, start: number, end: number): string {
  const from = Math.max(0, start - MARGIN);
  const to = Math.min(text.length, end + MARGIN);
  const before = from === 0 ? text.slice(0, start) : text.slice(from, start).replace(/^\S*\s/, '…');
  const after = to === text.length ? text.slice(end) : text.slice(end, to).replace(/\s\S*$/, '…');
  const passage = `${before}${text.slice(start, end).slice(0, MAX_PASSAGE)}${after}`;
  return passage.replace(/\s+/gu, ' ').trim();
}
