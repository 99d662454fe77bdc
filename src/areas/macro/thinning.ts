import { greatest, mean } from 'd3-array';
import type { Dated } from './facts/vintages.ts';

/** Maximum length of a thinned history; in a longer one, readers overlook changes of sign. */
const SHOWN = 200;

/**
 * At most 200 observations, in order: the first, last, lowest and highest, and those that preserve
 * the shape of the line, chosen by the algorithm "largest triangle three buckets" (S. Steinarsson,
 * Downsampling Time Series for Visual Representation, University of Iceland, 2013).
 */
export function thin<O extends Dated>(observations: readonly O[]): readonly O[] {
  const reported = observations.filter(isReported);
  const sorted = reported.toSorted((a, b) => a.value - b.value);
  const always = [observations[0], observations.at(-1), sorted[0], sorted.at(-1)];
  const chosen = new Set<O | undefined>([...always, ...shapeOf(reported, SHOWN - always.length)]);
  return observations.filter((each) => chosen.has(each));
}

/** Picks from each bucket the value that forms the largest triangle with the last pick and the next bucket's mean. */
function shapeOf<O extends { value: number }>(reported: readonly O[], count: number): O[] {
  const size = reported.length / count;
  const buckets = Array.from({ length: count }, (_, at) => {
    const start = Math.floor(at * size);
    return reported
      .slice(start, Math.floor((at + 1) * size))
      .map((each, index) => ({ each, x: start + index, y: each.value }));
  });
  let last = { x: 0, y: reported[0]?.value ?? 0 };
  return buckets.flatMap((bucket, at) => {
    const next = buckets[at + 1] ?? bucket;
    const [x = 0, y = 0] = [mean(next, (point) => point.x), mean(next, (point) => point.y)];
    const area = (point: typeof last) =>
      Math.abs((last.x - x) * (point.y - last.y) - (last.x - point.x) * (y - last.y));
    const best = greatest(bucket, area);
    last = best ?? last;
    return best === undefined ? [] : [best.each];
  });
}

function isReported<O extends Dated>(row: O): row is O & { value: number } {
  return row.value !== null;
}

/**
 * Says since when a long history with both signs, such as a spread, has had its current sign, which
 * is hard to spot among hundreds of figures. Zero has no sign.
 */
export function describeSign(observations: readonly Dated[]): string {
  if (observations.length <= SHOWN) return '';
  const reported = observations.filter(isReported);
  const sign = Math.sign(reported.at(-1)?.value ?? 0);
  const hasBoth = reported.some(({ value }) => Math.sign(value) === -sign);
  if (sign === 0 || !hasBoth) return '';
  const first = reported[reported.findLastIndex(({ value }) => Math.sign(value) !== sign) + 1];
  return `${sign > 0 ? 'Positive' : 'Negative'} since ${first?.date}.`;
}
