import twinFile from '../../../data/market-twins.json' with { type: 'json' };
import { MONTHS as MONTH_NAMES } from '../../core/text.ts';
import type { ComparedCard, Comparison } from '../../search/profile.ts';
import { plainStems } from '../../search/tokenise.ts';

/*
 * Embeddings barely distinguish events that differ only in a name, a date or a side: "Bank of
 * Japan" and "Bank of England", "above 5 %" and "below 5 %". Comparing these details with the
 * question ranks the right event first and denies the others the verdict `strong`.
 */

/** For each stem of a name, the stems of all its forms. */
const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  twinFile.names.flatMap((line) => {
    const stems = new Set(plainStems(line));
    return [...stems].map((stem) => [stem, stems] as const);
  }),
);
const OPPOSITES = twinFile.opposites.map((pair) => pair.map((line) => new Set(plainStems(line))));

/** Compares events with the names, dates and sides in a question. */
export function compareEvents(question: string): Comparison {
  const stems = plainStems(question);
  const dates = datesOf(question);
  const names = [
    ...quartersOf(question),
    ...new Set(stems.flatMap((stem) => NAMES.get(stem) ?? [])),
  ];
  const sides = OPPOSITES.flatMap((pair) => {
    const [said, ...both] = pair.filter((side) => stems.some((stem) => side.has(stem)));
    const contrary = pair.find((side) => side !== said);
    // A question that names both sides favours neither.
    return said === undefined || contrary === undefined || both.length > 0
      ? []
      : [{ said, contrary }];
  });
  const lacks = (date: ReadonlySet<string>, { title, has }: ComparedCard) =>
    ![...date].some((stem) => has(stem) || (stem.includes(' ') && title.includes(stem)));
  const takes = (text: string, side: ReadonlySet<string>) =>
    text.split(' ').some((stem) => side.has(stem));
  return {
    stems: [...dates, ...names].flatMap((one) => [...one]),
    isDetail: (stem) => /^\d/u.test(stem) || DETAILS.has(stem),
    countMismatches(card) {
      const { title, inFull, says } = card;
      const otherDates = dates.filter((date) => lacks(date, card) || isOtherDate(date, title));
      // Descriptions do not count here, since they also mention unrelated names.
      const otherNames = names.filter((name) => ![...name].some(says));
      const otherSides = sides.filter(
        ({ said, contrary }) => takes(title, contrary) && !inFull.some((text) => takes(text, said)),
      );
      return otherDates.length + otherNames.length + otherSides.length;
    },
  };
}

const MONTHS = MONTH_NAMES.map((name) => name.toLowerCase());
/** Stems of months and sides. */
const DETAILS = new Set([
  ...plainStems(MONTHS.flatMap((month) => [month, month.slice(0, 3)]).join(' ')),
  ...OPPOSITES.flat().flatMap((side) => [...side]),
]);
/**
 * A month, with "before" or "until" and a day if present. "May" and short forms match only where
 * they cannot be another word.
 */
const MONTH =
  /(\b(?:before|until) )?\b((?:january|february|march|april|june|july|august|september|october|november|december)\b|(?<=\b(?:in|by|before|until|since|early|late|the|end of) )may\b|(?:may|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?)(?= \d))( \d\d?(?!\d))?/giu;
/** "Before 2026" also means "in 2025". */
const BEFORE_YEAR = /\b(?:before|until) (20[1-9]\d)\b/giu;
/** Skips spans such as "6 months", and "10-year" and "Q3", which have patterns of their own. */
const NUMBER =
  /(?<![\p{L}\d.,])\d+(?:[.,]\d+)*(?![\d.,]*[\p{L}\d])(?!.?(?:year|month|week|day|y\b))/giu;
/** The maturity of a bond or loan: "10Y", "10-year". */
const MATURITY = /\b(\d+)[- ]?(?:y|yr|year)\b/giu;
const QUARTER = /\bq([1-4])\b|\b(first|second|third|fourth) quarter\b/giu;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
/** A rank below the first: "the second largest". */
const RANK = /\b(second|third)[- ](?=place\b|most\b|\p{L}{2,}st\b)/giu;

/**
 * Match years from 2010 to 2039, and months, in a title's stems. A year after "before" does not
 * count. A month counts only after "in", because "by June 30" may answer "before July".
 */
const TITLE_DATES = [
  /(?<![^ ])(?<!befor )20[1-3]\d(?![^ ])/gu,
  new RegExp(`(?<=\\bin )(?:${plainStems(MONTHS.join(' ')).join('|')})(?![^ ])`, 'gu'),
];

/** The dates, numbers, maturities and ranks in a question, each as a set of alternative stems. */
function datesOf(question: string): ReadonlySet<string>[] {
  const numbers = [...new Set(plainStems((question.match(NUMBER) ?? []).join(' ')))];
  const before = [...question.matchAll(BEFORE_YEAR)].map(([, year]) => year);
  const stems = [
    ...new Map(monthsOf(question).map((one) => [one[0], one])).values(),
    ...numbers.map((stem) => [stem, ...(before.includes(stem) ? [`${Number(stem) - 1}`] : [])]),
    ...[...question.matchAll(MATURITY)].map(([, n]) => [`${n}y`, `${n}yr`, `${n}year`]),
    ...[...question.matchAll(RANK)].map(([, place = '']) => plainStems(place)),
  ];
  return stems.map((one) => new Set(one));
}

/** The quarters in a question, each as the stems of all its spellings. */
function quartersOf(question: string): ReadonlySet<string>[] {
  return [...question.matchAll(QUARTER)].map(([, number, ordinal = '']) => {
    const at = number === undefined ? ORDINALS.indexOf(ordinal.toLowerCase()) : Number(number) - 1;
    return new Set(plainStems(`q${at + 1} ${ORDINALS[at]}`));
  });
}

/** Whether a title names a year or month other than this date's. */
function isOtherDate(date: ReadonlySet<string>, title: string): boolean {
  return TITLE_DATES.some((kind) => {
    const dates = title.match(kind);
    return (
      dates !== null &&
      !dates.some((stem) => date.has(stem)) &&
      [...date].some((stem) => `in ${stem}`.match(kind) !== null)
    );
  });
}

/** The months that a question means, as stems: "before July 4" means June or July. */
function monthsOf(question: string): string[][] {
  const stemsOf = (month = '') => plainStems(`${month} ${month.slice(0, 3)}`);
  return [...question.matchAll(MONTH)].map(([, before, name = '', day]) => {
    const at = MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3).toLowerCase()));
    const own = stemsOf(MONTHS[at]);
    if (before === undefined) return own;
    return [...stemsOf(MONTHS.at(at - 1)), ...(day === undefined ? [`befor ${own[0]}`] : own)];
  });
}
