import { type Completer, MAX_COMPLETIONS } from '../../../core/resource.ts';
import { listSeries, type SeriesRow } from '../queries.ts';
import { CATEGORIES } from './categories.ts';
import { matchIndicators } from './match.ts';
import { normalise } from './words.ts';

/** Aliases that begin as typed, with or without "us.", then those that a search finds. */
export const completeIndicator: Completer = (typed, { db }) =>
  complete(listSeries(db), typed).slice(0, MAX_COMPLETIONS + 1);

/** The same after the categories that begin as typed. */
export const completeTopic: Completer = (typed, { db }) => {
  const wanted = normalise(typed);
  const categories = CATEGORIES.filter((each) => each.toLowerCase().startsWith(wanted));
  return [...categories, ...complete(listSeries(db), typed)].slice(0, MAX_COMPLETIONS + 1);
};

function complete(catalogue: readonly SeriesRow[], typed: string): string[] {
  const wanted = normalise(typed);
  const begun = catalogue.filter(
    ({ indicator }) => indicator.startsWith(wanted) || indicator.startsWith(`us.${wanted}`),
  );
  const found = wanted === '' ? [] : matchIndicators(catalogue, typed);
  return [...new Set([...begun, ...found].map(({ indicator }) => indicator))];
}
