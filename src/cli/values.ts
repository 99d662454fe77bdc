import { isIP } from 'node:net';
import { setNamed } from '../areas/papers/arxiv/ids.ts';
import { AREAS, type Area } from '../core/area.ts';
import { firstLineOf, UsageError } from '../core/errors.ts';
import { isCalendarDay } from '../core/fields.ts';
import { printable } from '../core/input.ts';
import { readPeriod } from '../core/news.ts';

// Parsers for arguments and options: each returns the value or throws a UsageError.

/** A host without a port, or an account name. Plain characters only, since both appear in log lines. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;

/** A whole number of at least `least`, with at most 15 digits, which a double represents exactly. */
export function readNumber(name: string, least: 0 | 1 = 1): (value: string) => number {
  return (value) => {
    if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
    throw new UsageError(`${name} must be a whole number of at most 15 digits, ${least} or more.`);
  };
}

export function readAccount(value: string): string {
  if (NAME.test(value) && value.length <= 64) return value;
  throw new UsageError(
    'NAME must be 1 to 64 letters, digits, ".", "_" or "-", and begin with a letter or digit.',
  );
}

export function readArea(value: string, tail = ''): Area {
  const area = AREAS.find((each) => each === value);
  if (area !== undefined) return area;
  throw new UsageError(`Unknown area "${printable(value)}": use papers, macro or markets${tail}.`);
}

export function readScopes(value: string): Area[] {
  const names = value.split(',').map((name) => name.trim());
  const scopes = AREAS.filter((area) => names.includes(area));
  if (names.every((name) => scopes.some((area) => area === name))) return scopes;
  throw new UsageError(`--scopes must list areas, separated by commas: ${AREAS.join(',')}.`);
}

/** An address or a name; brackets around an IPv6 address are dropped. */
export function readHost(value: string): string {
  const bare = value.replace(/^\[(.*)\]$/, '$1');
  if (NAME.test(bare) || isIP(bare) !== 0) return bare;
  throw new UsageError('--host must be an address or a name of this machine, without a port.');
}

export function readPort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new UsageError('--port must be a number from 0 to 65535; 0 picks a free port.');
}

export function addAllowedHost(value: string, names: readonly string[] = []): string[] {
  if (NAME.test(value)) return [...names, value];
  throw new UsageError('--allow-host must be a name such as shelf.example, without a port.');
}

export function readDay(name: string): (value: string) => string {
  return (value) => {
    if (isCalendarDay(value)) return value;
    throw new UsageError(`${name} must be a date, YYYY-MM-DD.`);
  };
}

/** First day of arXiv's list of changes. */
const FIRST_DAY = '2005-09-16';

export function readHarvestDay(value: string): string {
  const day = readDay('--since')(value);
  if (day >= FIRST_DAY) return day;
  throw new UsageError(
    `--since must not be before ${FIRST_DAY}, when arXiv's list of changes begins.`,
  );
}

/** A date, or a number of days to look back; returned as typed. */
export function readWhen(now: Date): (value: string) => string {
  return (value) => {
    try {
      readPeriod(value, now, '--since');
      return value;
    } catch (error) {
      throw new UsageError(firstLineOf(error));
    }
  };
}

/** A number of days ahead, such as 7d. */
export function readDays(value: string): number {
  const days = /^([1-9]\d{0,2})d$/i.exec(value.trim())?.[1];
  if (days !== undefined) return Number(days);
  throw new UsageError('--due must be 1 to 999 days, such as 7d.');
}

/** The OAI-PMH set that an arXiv group or category names. */
export function readSet(value: string): string {
  const set = setNamed(value);
  if (set !== null) return set;
  throw new UsageError(
    `Unknown arXiv set "${printable(value)}". Use a group such as q-fin, or a category such as q-fin.PM or econ.GN.`,
  );
}

/** The scope of a refresh that a server starts: all events, or only those with the listed ids. */
export function readRefresh(value: string): 'full' | number[] {
  if (value === 'full') return value;
  if (/^\d{1,9}(,\d{1,9})*$/.test(value)) return value.split(',').map(Number);
  throw new UsageError('--refresh must be "full" or event ids, separated by commas.');
}
