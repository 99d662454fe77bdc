import { notFound } from '../../../core/errors.ts';
import type { SeriesNames } from '../queries.ts';
import { suggestSeries } from './suggest.ts';
import { normalise } from './words.ts';

/**
 * The series with that alias, id or title, whichever of the two arguments it came in; a title that two
 * series share names neither. Throws `not_found` with suggestions when there is none.
 */
export function findNamed(
  catalogue: readonly SeriesNames[],
  param: 'indicator' | 'series_id',
  name: string,
): SeriesNames {
  const wanted = normalise(name);
  const isAlias = param === 'indicator';
  const found = catalogue.find(({ indicator, seriesId }) =>
    [indicator, seriesId].some((each) => normalise(each) === wanted),
  );
  const [titled, ...others] = catalogue.filter(({ title }) => normalise(title) === wanted);
  const named = found ?? (others.length === 0 ? titled : undefined);
  if (named !== undefined) return named;
  const near = suggestSeries(catalogue, wanted).map(
    (series) => `"${isAlias ? series.indicator : series.seriesId}"`,
  );
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  throw notFound(
    `No series in the catalogue has this "${param}".${meant} Find one with macro_indicator_search.`,
    param,
  );
}
