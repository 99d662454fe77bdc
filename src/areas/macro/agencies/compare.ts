import type { AgencySeries } from './feed.ts';

/** Dates that must be common to what is held and what an agency sent, or all that are held. */
const MIN_COMMON = 24;
/** Known dates that a response may drop: this many, or this share. */
const MAX_DROPPED = 5;
const MAX_DROPPED_SHARE = 0.2;
/** Above this distance of the median ratio from 1, an overlap is on another base or unit. */
const MAX_RESCALED = 0.02;
/** Share of the common dates that may differ in rates, which are hardly ever revised … */
const MAX_CORRECTED_SHARE = 0.05;
const MAX_CORRECTED = 2;
/** … and that may differ by more than this ratio where revisions are usual. */
const MAX_REVISION = 0.1;
const MAX_POINTS = 2;
const ROUNDING = 1e-6;

/** Figures of an agency that do not continue those held; nothing of them is stored. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError';
}

export interface HeldOverlap {
  /** Current values held from the start of the request on, by date. */
  values: ReadonlyMap<string, number | null>;
  /** Values held of the whole series, without missing ones. */
  total: number;
  /** Whether the agency revises figures already published. */
  isRevised: boolean;
  /** Whether the values are percentages, of which a small one is revised by a large ratio. */
  isRate: boolean;
}

/**
 * Checks that an agency's figures continue those held: the same unit and base, no history dropped, no
 * range cut short. Throws a MismatchError that says which.
 */
export function expectContinuation({ figures }: AgencySeries, held: HeldOverlap): void {
  const told = new Map(
    figures.flatMap(({ date, value }) => (value === null ? [] : [[date, value] as const])),
  );
  const known = [...held.values].flatMap(([date, value]) =>
    value === null ? [] : [{ date, value }],
  );
  const dropped = known.filter(({ date }) => !told.has(date));
  if (dropped.length > Math.max(MAX_DROPPED, known.length * MAX_DROPPED_SHARE)) {
    throw new MismatchError('its response dropped many dates that are held');
  }
  const first = figures[0]?.date ?? '';
  if (dropped.filter(({ date }) => date < first).length > MAX_DROPPED) {
    throw new MismatchError('its response covers only part of the range asked for');
  }
  const pairs = known.flatMap(({ date, value }) => {
    const news = told.get(date);
    return news === undefined ? [] : [{ before: value, after: news }];
  });
  if (pairs.length < Math.min(MIN_COMMON, held.total)) {
    throw new MismatchError('its figures overlap too little with those held');
  }
  const changed = pairs.filter(({ before, after }) => !isEqual(before, after));
  if (held.isRevised ? isRescaled(pairs) : isCorrectedTooOften(changed.length, pairs.length)) {
    throw new MismatchError('its figures are on another base or unit than those held');
  }
  const usual = held.isRate ? MAX_POINTS : 0;
  const wild = changed.filter(
    ({ before, after }) =>
      Math.abs(after - before) > Math.max(MAX_REVISION * Math.abs(before), usual),
  );
  if (held.isRevised && isCorrectedTooOften(wild.length, pairs.length)) {
    throw new MismatchError('its figures differ from those held by more than a revision');
  }
}

/** Equal but for what binary fractions lose. */
export function isEqual(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a));
}

function isCorrectedTooOften(changed: number, common: number): boolean {
  return changed > Math.max(MAX_CORRECTED, common * MAX_CORRECTED_SHARE);
}

function isRescaled(pairs: readonly { before: number; after: number }[]): boolean {
  const ratios = pairs
    .filter(({ before }) => before !== 0)
    .map(({ before, after }) => after / before)
    .sort((a, b) => a - b);
  const median = ratios[Math.floor(ratios.length / 2)];
  return median !== undefined && Math.abs(median - 1) > MAX_RESCALED;
}
