import { plainStems } from '../lexical/tokenise.ts';
import type { Names, Opposite } from './names.ts';

/**
 * What an event must share with a question to answer it: a year, a number, a month, a name.
 * "Bank of Japan in March" is near to "Bank of England in May" for any model.
 */

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
/** "May" and short forms only where they cannot be another word. */
const MONTH =
  /\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|by|before|until|since|early|late|the|end of) may\b|\bmid-?may\b|\b(?:may|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?) (?=\d)/giu;
/** But for those that are other words, too. */
const MONTH_STEMS = plainStems(
  MONTHS.filter((month) => month !== 'may' && month !== 'march').join(' '),
);
/** "Before 2026" is "in 2025", too. */
const BEFORE_YEAR = /\b(?:before|until) (20[1-9]\d)\b/giu;
const YEAR = /\b20[1-9]\d\b/u;
/** A month in other words: "the last meeting of 2026". */
const PART_OF_YEAR =
  /\b(?:first|last|final|early|late|mid|half|quarter|q[1-4]|h[12]|start|beginning|spring|summer|autumn|winter)\b/iu;
/** Not that of "10-year" or "Q3", which cards spell in other ways. */
const NUMBER =
  /(?<![\p{L}\d.,])\d+(?:[.,]\d+)*(?![\d.,]*[\p{L}\d])(?!.?(?:year|month|week|day|y\b))/giu;

/** The maturity of a bond or loan: "10Y", "10-year". */
const MATURITY = /\b(\d+)[- ]?(?:y|yr|year)\b/giu;

const QUARTER = /\bq([1-4])\b|\b(first|second|third|fourth) quarter\b/giu;
/** Without one, "the largest" is not the second largest. */
const PLACE = /\b(?:second|third|[23](?:nd|rd)?|two|three|place|runner|silver|quarter|q[1-4])\b/iu;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
/** A place after the first: "the second largest". */
const RANK = /\b(second|third)[- ](?=place\b|most\b|\p{L}{2,}st\b)/giu;

/** What a question says that it is not about: "the US, not Japan", "in June and not in May". */
const NOT =
  /\b(?:(?<!\bor )not(?! (?:only|just|until|yet)\b)|never|neither|nor|unlike|except|excluding|instead of|rather than|other than|as opposed to) (?:(?:the|that|for|from|about|on|of|in) )*(?:[\p{L}\p{N}][\p{L}\p{N}.,'’-]*(?: of \p{L}+)?)(?: or (?:the |in )?\p{L}+)?/giu;

/** Who is no longer there: an event about a successor need not name the one before. */
const BEFORE =
  /\b(?:replac(?:e|es|ed|ing)|succeed(?:s|ed|ing)?|successor (?:to|of|for)|follow(?:s|ing)?|after)(?! (?:January|February|March|April|May|June|July|August|September|October|November|December)\b)(?: \p{Lu}[\p{L}'’-]+)+/gu;

/** "After June 30" is not "by June 30"; elsewhere the word says little. */
const AFTER_DATE = new RegExp(
  `\\b(?:after|beyond|later than)(?= (?:the end of )?(?:20\\d\\d|${MONTHS.join('|')})\\b)`,
  'giu',
);

/** The sides that a question takes, which the title of an event should not contradict. */
export function oppositesOf(question: string, names: Names): Opposite[] {
  const wanted = question.replace(NOT, ' ').replace(AFTER_DATE, 'later');
  return names.oppositesOf(plainStems(wanted));
}

/** The details of a question; each is a set of stems, of which a card should contain one. */
export function detailsOf(question: string): ReadonlySet<string>[] {
  const wanted = question.replace(NOT, ' ').replace(BEFORE, ' ');
  const months = [...wanted.matchAll(MONTH)].map(({ 0: { length }, index }) =>
    monthsOf(wanted.slice(0, index + length), wanted.slice(index + length)),
  );
  const numbers = [...new Set(plainStems((wanted.match(NUMBER) ?? []).join(' ')))];
  const before = [...wanted.matchAll(BEFORE_YEAR)].map(([, year]) => year);
  return [
    ...new Map(months.map((one) => [one[0], new Set(one)])).values(),
    ...numbers.map(
      (stem) => new Set([stem, ...(before.includes(stem) ? [`${Number(stem) - 1}`] : [])]),
    ),
    ...[...wanted.matchAll(MATURITY)].map(
      ([, years]) => new Set([`${years}y`, `${years}yr`, `${years}year`]),
    ),
    ...[...wanted.matchAll(RANK)].map(([, place = '']) => new Set(plainStems(place))),
  ];
}

/**
 * The names in a question: of economies, companies, acts and quarters; each is a set of stems, of which
 * an event should contain one where it says what it asks. A description mentions others, too.
 */
export function namedIn(question: string, names: Names): ReadonlySet<string>[] {
  const wanted = question.replace(NOT, ' ').replace(BEFORE, ' ');
  return [
    ...[...wanted.matchAll(QUARTER)].map(([, number, ordinal = '']) => {
      const at =
        number === undefined ? ORDINALS.indexOf(ordinal.toLowerCase()) : Number(number) - 1;
      return new Set(plainStems(`q${at + 1} ${ORDINALS[at]}`));
    }),
    ...names.groupsOf(plainStems(wanted)),
  ];
}

/**
 * Stems that the title of an event lacks if it answers a question: economies where the question and
 * `leads`, the stems that its words lead to, name none and so ask about the United States, months where
 * it names a year and none of them, places after the first.
 */
export function foreignStems(
  question: string,
  { economies }: Names,
  leads: readonly string[] = [],
): ReadonlySet<string> {
  const wanted = question.replace(NOT, ' ');
  const stems = [...plainStems(wanted), ...leads];
  const isAnyMonth =
    !YEAR.test(wanted) || wanted.match(MONTH) !== null || PART_OF_YEAR.test(wanted);
  return new Set([
    ...(stems.some((stem) => economies.has(stem)) ? [] : economies),
    ...(isAnyMonth ? [] : MONTH_STEMS),
    ...(PLACE.test(wanted) ? [] : ['second', 'third']),
  ]);
}

/** The names of the month at the end of a text; "before July" is June, and "before July 4" either. */
function monthsOf(text: string, rest: string): string[] {
  const [, before, short = ''] = /(\b(?:before|until) )?(\p{L}{3})\p{L}*\.? ?$/iu.exec(text) ?? [];
  const at = MONTHS.findIndex((month) => month.startsWith(short.toLowerCase()));
  const stemsOf = (month = '') => plainStems(`${month} ${month.slice(0, 3)}`);
  const own = stemsOf(MONTHS[at]);
  if (before === undefined) return own;
  const isDay = /^ ?\d\d?(?!\d)/.test(rest);
  return [...stemsOf(MONTHS.at(at - 1)), ...(isDay ? own : [`befor ${own[0]}`])];
}
