import wordFile from '../../../../data/macro-words.json' with { type: 'json' };

/** Words that tell no series from another. */
const FILLERS: ReadonlySet<string> = new Set([...wordFile.fillers, ...wordFile.questions]);
/** Words for how a figure moves or how large it is, which no series is named by alone. */
const MOVEMENTS: ReadonlySet<string> = new Set(wordFile.movements);
/** What somebody may want of a series, although no series is only that: "revision", "forecast". */
export const QUALIFIERS: ReadonlySet<string> = new Set(wordFile.qualifiers);
/** Alone they name too much: "price" in "price of gold". */
export const VAGUE: ReadonlySet<string> = new Set(wordFile.vague);
/** What says how or when a figure is taken: "y/y", "4-week average", "past two years". */
const ASIDE = new RegExp(
  [
    String.raw`\b(?:([ymq])[/-]o?[/-]?\1|(year|month|quarter|week)[ -](?:over|on)[ -]\2`,
    '(?:whether )?or not|(?:not |non-?)?seasonally[ -]adjusted|(?:a|one) year (?:ago|earlier)',
    String.raw`costs?\b(?<=\bhow much do(?:es)? .*)|\d+[ -](?:day|week|month|quarter)s?(?: moving)? average`,
    String.raw`(?:last|past) [\p{L}\d]+ (?:days|weeks|months|quarters|years|decades)`,
    String.raw`\d+[ -]years?(?: of)? history|history (?:of |for |over )?\d+ years`,
    String.raw`(?:last|past|this) (?:week|month|quarter|year)|(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?)\b`,
  ].join('|'),
  'gu',
);
const YEAR = /^(?:19|20)\d\ds?$/u;
const FORMS = byForm(wordFile.forms);
/** With its number one word: a 3-year note is none of 10 years minus 3 months. */
const UNITS = byForm(wordFile.units);
/** Shorter words have too many neighbours at one edit. */
const MIN_LETTERS = 5;
/** Each misspelt word with two corrections would double them. */
const MAX_READINGS = 16;

/** Folds case, character forms (NFKC) and white space for comparison. */
export function normalise(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, ' ');
}

/** The words of a text, normalised, in order. */
export function wordsOf(text: string): string[] {
  return split(normalise(text));
}

function split(normalised: string): string[] {
  return normalised.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words that tell series apart, in one form: "10yr Treasury yields, YoY" → 10year treasury yield. */
export function keyWordsOf(text: string): string[] {
  const joined = normalise(text)
    .replace(/\bu\.s\.?(?=\W|$)/gu, 'us')
    .replace(ASIDE, ' ')
    .replace(/['’]/gu, '');
  const counted = split(joined)
    .map((word) => FORMS.get(word) ?? word)
    .join(' ')
    .replace(/\b(\d+) ?(\p{L}+)\b/gu, (term, count, unit) => {
      const whole = UNITS.get(unit);
      return whole === undefined ? term : `${count}${whole}`;
    });
  return split(counted)
    .filter((word) => !isFiller(word))
    .map(toSingular)
    .filter((word) => !isFiller(word));
}

/** Key words without those that tell how a figure moves. */
export function withoutMovements(words: readonly string[]): string[] {
  return words.filter((word) => !MOVEMENTS.has(word));
}

function byForm(words: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(words).flatMap(([word, forms]) => forms.map((form) => [form, word])),
  );
}

function isFiller(word: string): boolean {
  return FILLERS.has(word) || YEAR.test(word);
}

function toSingular(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word === 'indices') return 'index';
  if (/^\p{L}{2,}ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  return /^\p{L}{3,}(?<![sui])s$/u.test(word) ? word.slice(0, -1) : word;
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
    return known.filter(
      (right) =>
        Math.abs(right.length - word.length) <= 2 &&
        (isOneEdit(word, right) || isOneEdit(`${word}s`, right)),
    );
  });
  if (readings.every(([reading], index) => reading === words[index])) return [];
  return readings.reduce<string[][]>(
    (begun, next) =>
      begun.flatMap((start) => next.map((word) => [...start, word])).slice(0, MAX_READINGS),
    [[]],
  );
}

/** Whether two different words are one edit apart; two neighbours swapped count as one. */
function isOneEdit(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  const edits = [x.slice(1), `${y[0]}${x.slice(1)}`, `${y[0]}${x}`, `${x[1]}${x[0]}${x.slice(2)}`];
  return a !== b && edits.includes(y);
}
