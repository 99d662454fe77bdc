import { VENUES, type VenueName } from '../areas/markets/sources/venue.ts';
import { setNamed } from '../areas/papers/arxiv/ids.ts';
import { UsageError } from '../config.ts';
import { AREAS, type Area } from '../core/area.ts';
import { isCalendarDay } from '../core/fields.ts';
import { printable } from '../core/input.ts';
import { readPeriod } from '../core/news.ts';

/** Readers of arguments and options: each returns the value or throws a UsageError. */

/** A name or an address, without a port. */
const HOST = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;
const ADDRESS = /^[0-9A-Fa-f:.]{2,45}$/;
/** It stands in log lines and messages, so it is short and plain. */
const ACCOUNT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The first day of arXiv's list of changes. */
const FIRST_DAY = '2005-09-16';

/** A whole number above 0. */
export function readCount(name: string): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
    throw new UsageError(`${name} must be a whole number above 0.`);
  };
}

export function readCredits(name: string, least: 0 | 1): (value: string) => number {
  return (value) => {
    if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
    throw new UsageError(`${name} must be a whole number${least === 1 ? ' above 0' : ''}.`);
  };
}

export function readAccount(value: string): string {
  if (ACCOUNT.test(value)) return value;
  throw new UsageError('NAME may hold letters, digits, ".", "_" and "-", at most 64 characters.');
}

export function readScopes(value: string): Area[] {
  const names = value.split(',').map((name) => name.trim());
  const known = AREAS.filter((area) => names.includes(area));
  if (known.length > 0 && names.every((name) => AREAS.some((area) => area === name))) return known;
  throw new UsageError(`--scopes must list areas, separated by commas: ${AREAS.join(',')}.`);
}

/** An address or a name; brackets around an IPv6 address are dropped. */
export function readHost(value: string): string {
  const bare = value.replace(/^\[(.*)\]$/, '$1');
  if (HOST.test(bare) || ADDRESS.test(bare)) return bare;
  throw new UsageError('--host must be an address or a name of this machine, without a port.');
}

export function readPort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new UsageError('--port must be a number from 0 to 65535; 0 picks a free port.');
}

/** One more name to those already given. */
export function addAllowedHost(value: string, given: readonly string[] = []): string[] {
  if (HOST.test(value)) return [...given, value];
  throw new UsageError('--allow-host must be a name such as shelf.example, without a port.');
}

export function readArea(value: string): Area {
  const area = AREAS.find((each) => each === value);
  if (area !== undefined) return area;
  throw new UsageError(`Unknown area "${printable(value)}". Use papers, macro or markets.`);
}

/** A calendar day, YYYY-MM-DD. */
export function readDay(name: string): (value: string) => string {
  return (value) => {
    if (isCalendarDay(value)) return value;
    throw new UsageError(`${name} must be a date as YYYY-MM-DD.`);
  };
}

/** A day from the first of arXiv's list up to today, YYYY-MM-DD. */
export function readSince(now: Date): (value: string) => string {
  return (text) => {
    const value = readDay('--since')(text);
    if (value > now.toISOString().slice(0, 10)) {
      throw new UsageError('--since must not be in the future.');
    }
    if (value < FIRST_DAY) throw new UsageError(`--since must not be before ${FIRST_DAY}.`);
    return value;
  };
}

/** A period that `status` looks back on, as it was written. */
export function readWhen(now: Date): (value: string) => string {
  return (value) => {
    try {
      readPeriod(value, now);
      return value;
    } catch (error) {
      throw new UsageError(`--${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

/** The set of arXiv's OAI-PMH that a group or category names. */
export function readVenue(value: string): VenueName {
  const venue = VENUES.find(({ name }) => name === value.toLowerCase());
  if (venue !== undefined) return venue.name;
  const names = VENUES.map(({ name }) => name).join(' or ');
  throw new UsageError(`--source must be ${names}, not "${printable(value)}".`);
}

export function readSet(value: string): string {
  const set = setNamed(value);
  if (set !== null) return set;
  throw new UsageError(
    `Unknown arXiv set "${printable(value)}". Use a group such as q-fin, or a category such as q-fin.PM or econ.GN.`,
  );
}

/** What a server's own refresh fetches: everything, or the events with these ids. */
export function readRefresh(value: string): 'full' | number[] {
  if (value === 'full') return value;
  if (/^\d{1,9}(,\d{1,9})*$/.test(value)) return value.split(',').map(Number);
  throw new UsageError('--refresh must be full or ids.');
}
