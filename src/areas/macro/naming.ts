import { notFound } from '../../core/errors.ts';
import { nearest } from '../../core/input.ts';
import { matchIndicators, normalise } from './match.ts';
import type { SeriesNames } from './queries.ts';

/** The series of that alias or id; throws `not_found`, with what may have been meant, where there is none. */
export function findNamed(
  catalogue: readonly SeriesNames[],
  param: 'indicator' | 'series_id',
  name: string,
): SeriesNames {
  const wanted = normalise(name);
  const isAlias = param === 'indicator';
  const found = catalogue.find((s) => normalise(isAlias ? s.indicator : s.seriesId) === wanted);
  if (found !== undefined) return found;
  const swapped = catalogue.some((s) => normalise(isAlias ? s.seriesId : s.indicator) === wanted);
  if (swapped) {
    const hint = `It is the "${isAlias ? 'series_id' : 'indicator'}" of one: pass it there.`;
    throw notFound(`No series of the catalogue has this "${param}". ${hint}`, param);
  }
  const near = findNearest(catalogue, wanted);
  const meant =
    near === undefined ? '' : ` Did you mean "${isAlias ? near.indicator : near.seriesId}"?`;
  throw notFound(
    `No series of the catalogue has this "${param}".${meant} Find one with macro_indicator_search.`,
    param,
  );
}

/** The series whose alias or id is a slip away, else the first that the words of the name mean. */
function findNearest(catalogue: readonly SeriesNames[], wanted: string): SeriesNames | undefined {
  for (const named of ['indicator', 'seriesId'] as const) {
    const near = nearest(
      wanted,
      catalogue.map((series) => series[named]),
    );
    if (near !== undefined) return catalogue.find((series) => series[named] === near);
  }
  const words = wanted
    .replace(/^us\./, '')
    .replace(/[._-]+/g, ' ')
    .trim();
  return words === '' ? undefined : matchIndicators(catalogue, words)[0];
}
