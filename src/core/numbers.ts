export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

/** The mean; 0 for an empty list. */
export function mean(numbers: readonly number[]): number {
  return sum(numbers) / Math.max(1, numbers.length);
}
