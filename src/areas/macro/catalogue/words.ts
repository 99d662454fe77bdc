import wordFile from '../../../../data/macro-words.json' with { type: 'json' };

/** Words that tell no series from another. */
const FILLERS: ReadonlySet<string> = new Set([...wordFile.fillers, ...wordFile.questions]);
/** Words for how a figure moves or how large it is, which no series is named by alone. */
const MOVEMENTS: ReadonlySet<string> = new Set(wordFile.movements);
const YEAR = /^(?:19|20)\d\d$/u;
const NUMBERS: ReadonlyMap<string, string> = new Map(Object.entries(wordFile.numbers));
const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries(wordFile.units).flatMap(([unit, forms]) => forms.map((form) => [form, unit])),
);
/** Shorter words have too many neighbours at one edit. */
const MIN_LETTERS = 5;

/** Folds case, character forms (NFKC) and white space for comparison. */
export function normalise(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, ' ');
}

/** The words of a text, normalised, in order. */
export function wordsOf(text: string): string[] {
  return normalise(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words that tell series apart, in one form: "10yr Treasury yields, YoY" → 10 year treasury yield. */
export function keyWordsOf(text: string): string[] {
  const joined = normalise(text)
    .replace(/\bu\.s\.?(?=\W|$)/gu, 'us')
    .replace(/\b([ymq])[/-]o?[/-]?\1\b/gu, ' ')
    .replace(/\b(year|month|quarter|week)[ -](?:over|on)[ -]\1\b/gu, ' ')
    .replace(/\b(?:whether )?or not\b|\bcosts?\b(?<=\bhow much do(?:es)? .*)/gu, ' ')
    .replace(/\b(?:not |non-?)?seasonally[ -]adjusted\b/gu, ' ')
    .replace(/\b(?:a|one) year (?:ago|earlier)\b/gu, ' ')
    .replace(/\b\d+[ -](?:day|week|month|quarter)s?(?: moving)? average\b/gu, ' ')
    .replace(/\b(?:last|past) \d+ (?:days|weeks|months|quarters|years)\b/gu, ' ')
    .replace(/\b(?:last|past|this) (?:week|month|quarter|year)\b/gu, ' ')
    .replace(/['’]/gu, '');
  return wordsOf(joined)
    .flatMap((word) => {
      const [, count, unit] = /^(\d+)(\p{L}+)$/u.exec(word) ?? [];
      const whole = unit === undefined ? undefined : UNITS.get(unit);
      return count !== undefined && whole !== undefined ? [count, whole] : [word];
    })
    .map((word) => NUMBERS.get(word) ?? (word.length > 1 ? (UNITS.get(word) ?? word) : word))
    .filter((word) => !isFiller(word))
    .map(toSingular)
    .filter((word) => !isFiller(word));
}

/** Key words without those that tell how a figure moves. */
export function withoutMovements(words: readonly string[]): string[] {
  return words.filter((word) => !MOVEMENTS.has(word));
}

function isFiller(word: string): boolean {
  return FILLERS.has(word) || YEAR.test(word);
}

function toSingular(word: string): string {
  if (word === 'indices') return 'index';
  if (/^\p{L}{2,}ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  return /^\p{L}{3,}(?<!s)s$/u.test(word) ? word.slice(0, -1) : word;
}

/**
 * `words` with each unknown word replaced by a known one at one edit: a letter missing, added,
 * changed, or two neighbours swapped. Only words of five letters or more; empty when nothing is replaced.
 */
export function correctSpelling(
  words: readonly string[],
  vocabulary: ReadonlySet<string>,
): string[][] {
  const known = [...vocabulary].filter((word) => /^\p{L}+$/u.test(word));
  const readings = words.map((word) => {
    if (vocabulary.has(word) || word.length < MIN_LETTERS || !/^\p{L}+$/u.test(word)) return [word];
    return known.filter((candidate) => isOneEdit(word, candidate));
  });
  if (readings.every(([reading], index) => reading === words[index])) return [];
  return readings.reduce<string[][]>(
    (begun, next) => begun.flatMap((start) => next.map((word) => [...start, word])),
    [[]],
  );
}

/** Whether two different words are one edit apart. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  if (short.length < long.length) return short.slice(start) === long.slice(start + 1);
  if (short.slice(start + 1) === long.slice(start + 1)) return true;
  return (
    short[start] === long[start + 1] &&
    short[start + 1] === long[start] &&
    short.slice(start + 2) === long.slice(start + 2)
  );
}
