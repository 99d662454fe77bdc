/** Larger amounts are treated as errors of the source. */
const LARGEST = 1e15;

/** A finite number up to 1e15, from a number or a decimal string; null for anything else. */
export function parseDecimal(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number =
    typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Math.abs(number) <= LARGEST ? number : null;
}

/** An array, given directly or as JSON in a string; empty for anything else. */
export function parseList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** A list entry as text; '' for anything but text and numbers, so that indexes stay aligned. */
export function parseEntry(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const WIRE_TIME =
  /^([12]\d{3}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)? ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * ISO 8601 UTC with milliseconds, from any of the upstream's formats: with microseconds,
 * "2026-05-01 12:34:56+00", or a bare date. Times without a zone are UTC. Null for anything else.
 */
export function parseWireTime(value: string | null | undefined): string | null {
  const parts = WIRE_TIME.exec(value?.trim() ?? '');
  if (parts === null) return null;
  const [, day = '', clock = '00:00', fraction = '', , hours = '+00', minutes = '00'] = parts;
  const time = Date.parse(`${day}T${clock}${fraction.slice(0, 4)}${hours}:${minutes}`);
  const isDay = Number.isFinite(time) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  return isDay ? new Date(time).toISOString() : null;
}
