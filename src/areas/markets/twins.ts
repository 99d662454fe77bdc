import twinFile from '../../../data/market-twins.json' with { type: 'json' };
import type { Comparison } from '../../search/profile.ts';
import { plainStems } from '../../search/tokenise.ts';
import { datesOf, isOtherDate, quartersOf } from './dates.ts';

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
  return {
    stems: [...dates, ...names].flatMap((one) => [...one]),
    countMismatches(title, has) {
      // Some dates are phrases.
      const says = (stem: string) => (stem.includes(' ') ? title.includes(stem) : has(stem));
      const takes = (side: ReadonlySet<string>) => title.split(' ').some((stem) => side.has(stem));
      const others = [...dates, ...names].filter(
        (one) => ![...one].some(says) || isOtherDate(one, title),
      );
      const contraries = sides.filter(({ said, contrary }) => takes(contrary) && !takes(said));
      return others.length + contraries.length;
    },
  };
}
