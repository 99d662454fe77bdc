import { shiftDay } from './time.ts';

// Plausibility checks on upstream data before it is stored: dates, lost history and clocks.

/** True if `date` is between `first`, if given, and tomorrow, inclusive. */
export function isPossibleDate(
  date: string,
  { first, today }: { first: string | null; today: string },
): boolean {
  return date >= (first ?? '') && date <= shiftDay(today, 1);
}

/** The reported day or time, or `today` if the upstream's clock is ahead. */
export function checkpointOf(reported: string, today: string): string {
  return reported < today ? reported : today;
}

/** A response may lack this many of the stored entries, or this share of them if that is more. */
const MAX_LOST = 5;
const MAX_LOST_SHARE = 0.2;

/** Whether a response that lacks `lost` of the stored entries has lost history. */
export function losesTooMany(lost: number, stored: number): boolean {
  return lost > Math.max(MAX_LOST, stored * MAX_LOST_SHARE);
}
