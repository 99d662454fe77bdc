import twinFile from '../../../data/market-twins.json' with { type: 'json' };
import { MONTHS as MONTH_NAMES } from '../../core/text.ts';
import type { Comparison } from '../../search/profile.ts';
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

const MONTHS = MONTH_NAMES.map((name) => name.toLowerCase());
/** "May" and short forms only where they cannot be another word. */
const MONTH =
  /\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|by|before|until|since|early|late|the|end of) may\b|\bmid-?may\b|\b(?:may|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?) (?=\d)/giu;
/** Not that of "10-year" or "Q3", which cards spell in other ways. */
const NUMBER =
  /(?<![\p{L}\d.,])\d+(?:[.,]\d+)*(?![\d.,]*[\p{L}\d])(?!.?(?:year|month|week|day|y\b))/giu;
const QUARTER = /\bq([1-4])\b|\b(first|second|third|fourth) quarter\b/giu;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
/**
 * Dates in the stems of a title. Amounts such as 2000 are no years. A month tells only after "in": "by
 * June 30" is "before July", too, and "before 2026" is 2025.
 */
const TITLE_DATES = [
  /(?<![^ ])(?<!befor )20[1-3]\d(?![^ ])/gu,
  /(?<=\bin )(?:januari|februari|march|april|mai|june|juli|august|septemb|octob|novemb|decemb)(?![^ ])/gu,
];

/** Compares events with the names, dates and sides of a question. */
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
    // A question that names both sides takes neither.
    return said === undefined || contrary === undefined || both.length > 0
      ? []
      : [{ said, contrary }];
  });
  return {
    stems: [...dates, ...names].flatMap((one) => [...one]),
    countMismatches(title, has) {
      const takes = (side: ReadonlySet<string>) => title.split(' ').some((stem) => side.has(stem));
      const others = [...dates, ...names].filter(
        (one) => ![...one].some(has) || isOtherDate(one, title),
      );
      const contraries = sides.filter(({ said, contrary }) => takes(contrary) && !takes(said));
      return others.length + contraries.length;
    },
  };
}

/** The dates and numbers of a question. */
function datesOf(question: string): ReadonlySet<string>[] {
  const months = new Set((question.match(MONTH) ?? []).flatMap(monthOf));
  const numbers = new Set(plainStems((question.match(NUMBER) ?? []).join(' ')));
  return [
    ...[...months].map((month) => new Set(plainStems(`${month} ${month.slice(0, 3)}`))),
    ...[...numbers].map((stem) => new Set([stem])),
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

/** The month that a text ends with. */
function monthOf(text: string): string[] {
  const short = /(\p{L}{3})\p{L}*\.? ?$/u.exec(text.toLowerCase())?.[1] ?? '-';
  return MONTHS.filter((month) => month.startsWith(short));
}
