import { notFound } from '../../../core/errors.ts';
import type { SeriesNames } from '../queries.ts';
import { suggestSeries } from './suggest.ts';
import { normalise } from './words.ts';

/** The series with that alias or id. Throws `not_found` with suggestions when there is none. */
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
    throw notFound(`No series in the catalogue has this "${param}". ${hint}`, param);
  }
  const near = suggestSeries(catalogue, wanted).map(
    (series) => `"${isAlias ? series.indicator : series.seriesId}"`,
  );
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  throw notFound(
    `No series in the catalogue has this "${param}".${meant} Find one with macro_indicator_search.`,
    param,
  );
}
