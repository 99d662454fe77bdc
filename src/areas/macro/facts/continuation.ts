import { losesTooMany } from '../../../core/gate.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import { scaleOf } from './plausibility.ts';
import type { Dated } from './vintages.ts';

/** Minimum number of common dates; a shorter series must overlap completely. */
const MIN_COMMON = 24;
/** A median ratio further from 1 than this means another base or unit. */
const MAX_RESCALED = 0.02;
/** Common dates that may differ by more than a normal revision: a share or a number, whichever is more. */
const MAX_CORRECTED_SHARE = 0.05;
const MAX_CORRECTED = 2;
/** The largest normal revision: a share of the value or, for a rate, percentage points, whichever is more. */
const MAX_REVISION = 0.1;
const MAX_POINTS = 2;
const ROUNDING = 1e-6;

export const OTHER_BASE =
  'its figures have a different base or unit from those stored; set FRED_API_KEY or install a newer QuantShelf to get the whole series';

/** Figures that do not continue those stored. The message completes "X was queried, but …". */
export class MismatchError extends InvalidResponseError {}

/** Figures that a later response must confirm before they are stored. */
export class DoubtError extends MismatchError {
  readonly figures: readonly { date: string; value: number }[];

  constructor(figures: DoubtError['figures']) {
    const days = figures.length === 1 ? figures[0]?.date : `${figures.length} dates`;
    super(`its data for ${days} is implausible; it will be stored if the next response repeats it`);
    this.figures = figures;
  }
}

/** Pairs the values on common dates. Throws a MismatchError if too many stored dates are missing. */
export function pairWithSent(stored: readonly Dated[], sent: readonly Dated[]) {
  const values = new Map(sent.map(({ date, value }) => [date, value]));
  const reported = stored.filter(({ value }) => value !== null);
  const pairs = reported.flatMap(({ date, value: before }) => {
    const after = values.get(date) ?? null;
    return before === null || after === null ? [] : [{ before, after }];
  });
  if (losesTooMany(reported.length - pairs.length, reported.length)) {
    throw new MismatchError('its response lacks many of the stored dates');
  }
  return pairs;
}

interface StoredOverlap {
  /** Current values from the first sent date on, oldest first. */
  stored: readonly Dated[];
  /** Number of values in the series; counting may stop at a hundred. */
  total: number;
  /** Whether the agency revises published figures. */
  isRevised: boolean;
  /** Whether values are percentages: near zero, a normal revision is a large ratio. */
  isRate: boolean;
  /** Whether the agency named the units and they match those stored. */
  isSameUnit: boolean;
}

/**
 * Throws a MismatchError unless an agency's figures continue those stored: enough common dates, the
 * same unit and base, and few changes beyond normal revisions.
 */
export function expectContinuation(
  figures: readonly Dated[],
  { stored, total, isRevised, isRate, isSameUnit }: StoredOverlap,
): void {
  const pairs = pairWithSent(stored, figures);
  if (pairs.length < Math.min(MIN_COMMON, total)) {
    throw new MismatchError('its figures overlap too little with those stored');
  }
  if (!isSameUnit && Math.abs(scaleOf(pairs) - 1) > MAX_RESCALED) {
    throw new MismatchError(OTHER_BASE);
  }
  const largest = (before: number) =>
    isRevised ? Math.max(MAX_REVISION * Math.abs(before), isRate ? MAX_POINTS : 0) : 0;
  const wild = pairs.filter(
    ({ before, after }) => !isEqual(before, after) && Math.abs(after - before) > largest(before),
  );
  if (wild.length > Math.max(MAX_CORRECTED, pairs.length * MAX_CORRECTED_SHARE)) {
    throw new MismatchError('its figures differ from those stored by more than a normal revision');
  }
}

/** Whether two values are equal apart from rounding; false if either is infinite. */
export function isEqual(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.min(Math.abs(a), Math.abs(b)));
}
