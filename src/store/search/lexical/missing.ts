import type { Opposite } from '../query/names.ts';

/** What a card should have, or not have, to answer a query, beyond its terms. */
export interface Demands {
  /** Sets of stems, of each of which a card should contain one; two stems with a space stand in its title. */
  details?: readonly ReadonlySet<string>[];
  /** Sets of stems, of each of which a card should contain one in a column that counts in full. */
  named?: readonly ReadonlySet<string>[];
  /** Stems that the title of a card should not contain; one or more count as a missing detail. */
  foreign?: ReadonlySet<string>;
  /** Sides that its title should not contradict; each counts as a missing detail if it does. */
  opposites?: readonly Opposite[];
}

/** The stems of a card. */
interface CardStems {
  title: string;
  /** The texts of the columns that count in full, the title included. */
  inFull: readonly string[];
  /** Stems of these, and of all columns, under any name. */
  said: ReadonlyMap<string, number>;
  held: ReadonlyMap<string, number>;
}

/**
 * Years and months, as stems. Amounts such as 2000 are no years. A month tells only after "in": "by
 * June 30" is "before July", too, and "before 2026" is 2025.
 */
const DATES = [
  /(?<![^ ])(?<!befor )20[1-3]\d(?![^ ])/gu,
  /(?<=\bin )(?:januari|februari|march|april|mai|june|juli|august|septemb|octob|novemb|decemb)(?![^ ])/gu,
];
/** "By December 31" is a year, not a month. */
const YEAR_END = /\bdecemb 31\b/u;

/** How many of the details of a query a card lacks. */
export function countMissing(
  { details = [], named = [], foreign = new Set(), opposites = [] }: Demands,
  { title, inFull, said, held }: CardStems,
): number {
  const isForeign = title
    .split(' ')
    .some((stem) => foreign.has(stem) && !(stem === 'decemb' && YEAR_END.test(title)));
  const isHeld = (stem: string) => held.has(stem) || (stem.includes(' ') && title.includes(stem));
  return (
    Number(isForeign) +
    opposites.filter((one) => isContrary(one, title, inFull)).length +
    named.filter((one) => ![...one].some((stem) => said.has(stem))).length +
    details.filter((one) => ![...one].some(isHeld) || isOtherDate(one, title)).length
  );
}

/** Whether a title takes the other side, and no text of the card the one that is asked for. */
function isContrary(
  { said, contrary }: Opposite,
  title: string,
  texts: readonly string[],
): boolean {
  const has = (text: string, side: ReadonlySet<string>) =>
    text.split(' ').some((stem) => side.has(stem));
  return has(title, contrary) && !texts.some((text) => has(text, said));
}

/** A date asked for is that of the title, where it has one: "in 2025" may resolve in 2026. */
function isOtherDate(asked: ReadonlySet<string>, title: string): boolean {
  return DATES.some((kind) => {
    const held = title.match(kind);
    return (
      held !== null &&
      !held.some((stem) => asked.has(stem)) &&
      [...asked].some((stem) => `in ${stem}`.match(kind) !== null)
    );
  });
}
