import { losesTooMany } from '../../../core/gate.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';

/** Dates that must be common to what is stored and what an agency sent, or all that are stored. */
const MIN_COMMON = 24;
/** Stored dates before the first one sent. */
const MAX_CUT_SHORT = 5;
/** Above this distance of the median ratio from 1, an overlap is on another base or unit. */
const MAX_RESCALED = 0.02;
/** Share of the common dates above which one ratio for all of them is a new base, however near to 1. */
const MAX_SHARED_RATIO = 0.5;
/** Decimals beyond these are what binary fractions lose. */
const MOST_DECIMALS = 6;
/** Common dates that may differ in rates, which are hardly ever revised: this share, or so many. */
const MAX_CORRECTED_SHARE = 0.05;
const MAX_CORRECTED = 2;
/** Where revisions are usual, as few may differ by more than this ratio, and so many points in rates. */
const MAX_REVISION = 0.1;
const MAX_POINTS = 2;
const ROUNDING = 1e-6;

export const OTHER_BASE =
  'its figures are on another base or unit than those stored; FRED_API_KEY or a newer QuantShelf brings the whole series';

/** Figures that do not continue those stored; nothing of them is stored. The message completes "X was asked, but …". */
export class MismatchError extends InvalidResponseError {}

/** Figures that a later reply must confirm before they are stored. */
export class DoubtError extends MismatchError {
  readonly figures: readonly { date: string; value: number }[];

  constructor(figures: DoubtError['figures']) {
    const days = figures.length === 1 ? figures[0]?.date : `${figures.length} dates`;
    super(
      `its figure of ${days} is far from all before and is held back until a later reply confirms it`,
    );
    this.figures = figures;
  }
}

interface StoredOverlap {
  /** Current values from the start of the request on, by date. */
  values: ReadonlyMap<string, number | null>;
  /** Number of values of the whole series, without missing ones, counted as far as a short one has them. */
  total: number;
  /** Whether the agency revises figures already published. */
  isRevised: boolean;
  /** Whether the values are percentages, of which a small one is revised by a large ratio. */
  isRate: boolean;
}

/**
 * Checks that an agency's figures continue those stored: the same unit and base, no history dropped, no
 * range cut short. Throws a MismatchError that says which.
 */
export function expectContinuation(
  figures: readonly { date: string; value: number | null }[],
  stored: StoredOverlap,
): void {
  const sent = new Map(figures.map(({ date, value }) => [date, value]));
  const values = [...stored.values].flatMap(([date, value]) =>
    value === null ? [] : [{ date, before: value, after: sent.get(date) ?? null }],
  );
  const dropped = values.filter(({ after }) => after === null);
  if (losesTooMany(dropped.length, values.length)) {
    throw new MismatchError('its response dropped many dates that are stored');
  }
  const first = figures[0]?.date ?? '';
  if (dropped.filter(({ date }) => date < first).length > MAX_CUT_SHORT) {
    throw new MismatchError('its response covers only part of the requested range');
  }
  const pairs = values.flatMap(({ before, after }) => (after === null ? [] : [{ before, after }]));
  if (pairs.length < Math.min(MIN_COMMON, stored.total)) {
    throw new MismatchError('its figures overlap too little with those stored');
  }
  const changed = pairs.filter(({ before, after }) => !isEqual(before, after));
  const isOtherwise = stored.isRevised
    ? // A percentage has no base, and few decimals to tell ratios apart.
      isRescaled(pairs) || (!stored.isRate && sharesOneRatio(pairs))
    : isCorrectedTooOften(changed.length, pairs.length);
  if (isOtherwise) throw new MismatchError(OTHER_BASE);
  const usual = stored.isRate ? MAX_POINTS : 0;
  const wild = changed.filter(
    ({ before, after }) =>
      Math.abs(after - before) > Math.max(MAX_REVISION * Math.abs(before), usual),
  );
  if (stored.isRevised && isCorrectedTooOften(wild.length, pairs.length)) {
    throw new MismatchError('its figures differ from those stored by more than a revision');
  }
}

/** Equal but for what binary fractions lose; an infinite value equals none. */
export function isEqual(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.min(Math.abs(a), Math.abs(b)));
}

function isCorrectedTooOften(changed: number, common: number): boolean {
  return changed > Math.max(MAX_CORRECTED, common * MAX_CORRECTED_SHARE);
}

interface Pair {
  before: number;
  after: number;
}

function isRescaled(pairs: readonly Pair[]): boolean {
  return Math.abs(medianRatio(pairs).ratio - 1) > MAX_RESCALED;
}

/**
 * Whether most values changed by one and the same ratio, within the rounding of their decimals: so a
 * new base looks, whereas revisions change few dates or each by its own ratio.
 */
function sharesOneRatio(pairs: readonly Pair[]): boolean {
  const halfBefore = halfStep(pairs.map(({ before }) => before));
  const halfAfter = halfStep(pairs.map(({ after }) => after));
  // Where most values share a ratio, the median is one of theirs; it is as rough as its own pair.
  const { ratio, before: base } = medianRatio(pairs);
  const rounding = halfAfter + ratio * halfBefore;
  const shared = pairs.filter(({ before, after }) => {
    const margin = rounding * (1 + Math.abs(before / base));
    const isChanged = Math.abs(after - before) > halfAfter + halfBefore + ROUNDING;
    return isChanged && Math.abs(after - ratio * before) <= margin;
  });
  return shared.length > pairs.length * MAX_SHARED_RATIO;
}

/** The middle ratio, and the older value of its pair; 1 where there is none. */
function medianRatio(pairs: readonly Pair[]): { ratio: number; before: number } {
  const ratios = pairs
    .filter(({ before }) => before !== 0)
    .map(({ before, after }) => ({ ratio: after / before, before }))
    .sort((a, b) => a.ratio - b.ratio);
  return ratios[Math.floor(ratios.length / 2)] ?? { ratio: 1, before: 1 };
}

/** Half a unit of the last decimal that any of the values shows. */
function halfStep(values: readonly number[]): number {
  const shown = values.map((value) => String(Number(value.toFixed(MOST_DECIMALS))).split('.')[1]);
  return 0.5 * 10 ** -Math.max(0, ...shown.map((decimals) => decimals?.length ?? 0));
}
