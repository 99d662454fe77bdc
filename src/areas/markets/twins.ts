import twinFile from '../../../data/market-twins.json' with { type: 'json' };
import { MONTHS as MONTH_NAMES } from '../../core/text.ts';
import type { ComparedCard, Comparison } from '../../search/profile.ts';
import { plainStems } from '../../search/tokenise.ts';

/*
 * Events that differ in a name, a date or a side are near to each other for any model: "Bank of Japan"
 * and "Bank of England", "above 5 %" and "below 5 %". What a question names sets such twins in order and
 * holds back the verdict `strong`.
 */

/** Each name in all its forms, by each of them, as stems. */
const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  twinFile.names.flatMap((line) => {
    const stems = new Set(plainStems(line));
    return [...stems].map((stem) => [stem, stems] as const);
  }),
);
const OPPOSITES = twinFile.opposites.map((pair) => pair.map((line) => new Set(plainStems(line))));

/** Compares events with the names, dates and sides of a question. */
export function compareEvents(question: string, now: Date): Comparison {
  const stems = plainStems(question);
  const dates = datesOf(question, now);
  const names = [
    ...quartersOf(question),
    ...new Set(stems.flatMap((stem) => NAMES.get(stem) ?? [])),
  ];
  const sides = OPPOSITES.flatMap((pair) => {
    const [said, ...both] = pair.filter((side) => stems.some((stem) => side.has(stem)));
    const contrary = pair.find((side) => side !== said);
    // A question that names both sides takes neither.
    return said === undefined || contrary === undefined || both.length > 0
      ? []
      : [{ said, contrary }];
  });
  const lacks = (date: ReadonlySet<string>, { title, has }: ComparedCard) =>
    ![...date].some((stem) => has(stem) || (stem.includes(' ') && title.includes(stem)));
  return {
    stems: [...dates, ...names].flatMap((one) => [...one]),
    countMismatches(card) {
      const { title, inFull, says } = card;
      const takes = (text: string, side: ReadonlySet<string>) =>
        text.split(' ').some((stem) => side.has(stem));
      return (
        dates.filter((date) => lacks(date, card) || isOtherDate(date, title)).length +
        // A description mentions other names, too.
        names.filter((name) => ![...name].some(says)).length +
        sides.filter(
          ({ said, contrary }) =>
            takes(title, contrary) && !inFull.some((text) => takes(text, said)),
        ).length
      );
    },
  };
}

/*
 * Years, months and numbers of a question, each as stems of which an event should contain one. "Bank of
 * Japan in March" is near to "Bank of Japan in May" for any model.
 */

const MONTHS = MONTH_NAMES.map((name) => name.toLowerCase());
/** "May" and short forms only where they cannot be another word. */
const MONTH =
  /\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|by|before|until|since|early|late|the|end of) may\b|\bmid-?may\b|\b(?:may|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?) (?=\d)/giu;
/** "Before 2026" is "in 2025", too. */
const BEFORE_YEAR = /\b(?:before|until) (20[1-9]\d)\b/giu;
const YEAR = /\b(?:19|20)\d\d\b/u;
/** Not that of "10-year" or "Q3", which cards spell in other ways. */
const NUMBER =
  /(?<![\p{L}\d.,])\d+(?:[.,]\d+)*(?![\d.,]*[\p{L}\d])(?!.?(?:year|month|week|day|y\b))/giu;
/** The maturity of a bond or loan: "10Y", "10-year". */
const MATURITY = /\b(\d+)[- ]?(?:y|yr|year)\b/giu;
const QUARTER = /\bq([1-4])\b|\b(first|second|third|fourth) quarter\b/giu;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
/** A place after the first: "the second largest". */
const RANK = /\b(second|third)[- ](?=place\b|most\b|\p{L}{2,}st\b)/giu;

const PERIOD = /\b(this|next|last) (year|month)\b/giu;
const STEPS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
/** That of this year, unless the question names another. */
const YEAR_END =
  /\b(?:(?:end|close|rest|remainder|course) of (?:the |this )?(?:calendar )?year|year[- ]end|eoy)\b/iu;

/**
 * Dates in the stems of a title. Amounts such as 2000 are no years. A month tells only after "in": "by
 * June 30" is "before July", too, and "before 2026" is 2025.
 */
const TITLE_DATES = [
  /(?<![^ ])(?<!befor )20[1-3]\d(?![^ ])/gu,
  /(?<=\bin )(?:januari|februari|march|april|mai|june|juli|august|septemb|octob|novemb|decemb)(?![^ ])/gu,
];

/** The dates and numbers of a question; those relative to `now` are read as years and months. */
function datesOf(question: string, now: Date): ReadonlySet<string>[] {
  const text = `${question} ${relativeDatesOf(question, now)}`;
  const months = [...text.matchAll(MONTH)].map(({ 0: { length }, index }) =>
    monthsOf(text.slice(0, index + length), text.slice(index + length)),
  );
  const numbers = [...new Set(plainStems((text.match(NUMBER) ?? []).join(' ')))];
  const before = [...text.matchAll(BEFORE_YEAR)].map(([, year]) => year);
  return [
    ...new Map(months.map((one) => [one[0], new Set(one)])).values(),
    ...numbers.map(
      (stem) => new Set([stem, ...(before.includes(stem) ? [`${Number(stem) - 1}`] : [])]),
    ),
    ...[...text.matchAll(MATURITY)].map(
      ([, years]) => new Set([`${years}y`, `${years}yr`, `${years}year`]),
    ),
    ...[...text.matchAll(RANK)].map(([, place = '']) => new Set(plainStems(place))),
  ];
}

/** The quarters of a question, likewise. */
function quartersOf(question: string): ReadonlySet<string>[] {
  return [...question.matchAll(QUARTER)].map(([, number, ordinal = '']) => {
    const at = number === undefined ? ORDINALS.indexOf(ordinal.toLowerCase()) : Number(number) - 1;
    return new Set(plainStems(`q${at + 1} ${ORDINALS[at]}`));
  });
}

/** Whether a title has a date of its own, and another than that of a question. */
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

/**
 * The years and months that a text names relative to `now`, as words: "2027" for "next year", "May
 * 2026" for "this month". A date that it names explicitly counts instead.
 */
function relativeDatesOf(text: string, now: Date): string {
  const dates = [...text.matchAll(PERIOD)].flatMap(([, which = '', unit = '']) => {
    const isYear = unit.toLowerCase() === 'year';
    if (text.search(isYear ? YEAR : MONTH) >= 0) return [];
    const steps = STEPS[which.toLowerCase()] ?? 0;
    if (isYear) return String(now.getUTCFullYear() + steps);
    const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + steps, 1));
    return `${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
  });
  const isYearEnd = dates.length === 0 && YEAR_END.test(text) && !YEAR.test(text);
  return [...dates, ...(isYearEnd ? [String(now.getUTCFullYear())] : [])].join(' ');
}
