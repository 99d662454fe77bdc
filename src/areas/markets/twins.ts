import twinFile from '../../../data/market-twins.json' with { type: 'json' };
import type { ComparedCard, Comparison } from '../../search/profile.ts';
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
