import substitutes from '../../../../data/macro-substitutes.json' with { type: 'json' };
import type { SeriesRow } from '../queries.ts';

const SUBSTITUTES: ReadonlyMap<string, { indicators: readonly string[]; how: string }> = new Map(
  Object.entries(substitutes),
);

/** A sentence that names the held series nearest to one without figures, or says that there is none. */
export function describeSubstitute(
  seriesId: string,
  catalogue: readonly Pick<SeriesRow, 'indicator' | 'observationEnd'>[],
): string {
  const substitute = SUBSTITUTES.get(seriesId);
  const isHeld = (indicator: string) =>
    catalogue.some((row) => row.indicator === indicator && row.observationEnd !== null);
  return substitute?.indicators.every(isHeld) === true
    ? `Nearest held: ${substitute.how}.`
    : 'No series on the shelf is similar.';
}
