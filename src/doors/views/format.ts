import { countOf } from '../../core/text.ts';

// Numbers, units and dates as an analyst writes them.

// Creating a formatter is slow, and a table has hundreds of cells.
const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const PERCENT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const DOLLARS = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});
const DAY = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const MONTH = dates({ month: 'long', year: 'numeric' });

/** A number with `digits` decimals or, by default, as many as it has, up to 6. */
export function formatValue(value: number, digits?: number): string {
  // A caller that rounds a small negative value passes a negative zero.
  const plain = value === 0 ? 0 : value;
  if (digits === undefined) return NUMBER.format(plain);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return plain.toLocaleString('en-US', decimals);
}

const SCALES: Readonly<Record<string, number>> = { Thousands: 1e3, Millions: 1e6, Billions: 1e9 };
const SCALED = /^(?:Level in )?(Thousands|Millions|Billions)(?: of )?/;
const WORDS = [
  [1e12, ' trillion', 'T'],
  [1e9, ' billion', 'B'],
  [1e6, ' million', 'M'],
] as const;

function readUnits(units: string) {
  const scale = SCALES[SCALED.exec(units)?.[1] ?? ''] ?? 1;
  const rest = units.replace(SCALED, '');
  const isDollars = /Dollars/.test(rest) && !/ to One /.test(rest);
  return { scale, rest, isDollars, isRate: /^Percent(?!age)/.test(units) };
}

/** A value in common notation, with part of its unit: "3.3 %", "158.9 million", "$30.1 trillion". */
export function formatMeasure(value: number, units: string): string {
  const { scale, rest, isDollars, isRate } = readUnits(units);
  const full = value * scale;
  const [divisor, word] = WORDS.find(([size]) => scale > 1 && Math.abs(full) >= size) ?? [1, ''];
  const isSmall = / to One /.test(rest) && Math.abs(value) < 10;
  const text = Math.abs(full / divisor).toLocaleString('en-US', {
    ...(word === '' ? { maximumFractionDigits: isSmall ? 4 : 2 } : { maximumSignificantDigits: 4 }),
    ...(isDollars && word === '' && scale === 1 ? { minimumFractionDigits: 2 } : {}),
  });
  const sign = value < 0 && /[1-9]/.test(text) ? '−' : '';
  return `${sign}${isDollars ? '$' : ''}${text}${word}${isRate ? ' %' : ''}`;
}

/** The rest of the unit, which `formatMeasure` omits. */
export function unitWords(units: string): string {
  const { rest, isRate } = readUnits(units);
  const words = isRate ? rest.replace(/^Percent,? ?/, '') : rest;
  const plain = words.replace(/^(U\.?S\.? )?Dollars\b(?! to) ?/, '');
  return /^(Index|U\.S\.|Japanese)/.test(plain) ? plain : plain.toLowerCase();
}

/** Short labels, on one scale, for ticks that are `step` apart. */
export function formatTicks(values: readonly number[], step: number, units: string): string[] {
  const { scale, isDollars, isRate } = readUnits(units);
  const most = Math.max(...values.map((value) => Math.abs(value * scale)));
  const [divisor, , letter] = WORDS.find(([size]) => scale > 1 && most >= size) ?? [1, '', ''];
  const digits = Math.max(0, -Math.floor(Math.log10((step * scale) / divisor) + 1e-9));
  return values.map((value) => {
    const text = formatValue(Math.abs((value * scale) / divisor), Math.min(12, digits));
    return `${value < 0 ? '−' : ''}${isDollars ? '$' : ''}${text}${letter}${isRate ? '%' : ''}`;
  });
}

/** A number with its sign and up to the given number of decimals. */
export function formatChange(change: number, digits: number): string {
  return change
    .toLocaleString('en-US', { signDisplay: 'exceptZero', maximumFractionDigits: digits })
    .replace('-', '−');
}

/** A date or an ISO time as a day in UTC; "2026-05" as a month, "2026" as a year. */
export function formatDate(date: string): string {
  if (date.length === 'YYYY'.length) return date;
  return inWords(date, date.length === 'YYYY-MM'.length ? MONTH : DAY);
}

/** The period that begins on a date: "June 2026", "Q2 2026", "2026" or, for daily and weekly series, a day. */
export function formatPeriod(date: string, frequency: string): string {
  switch (frequency) {
    case 'Monthly':
      return inWords(date, MONTH);
    case 'Quarterly':
      return `Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${date.slice(0, 4)}`;
    case 'Annual':
      return date.slice(0, 4);
    default:
      return formatDate(date);
  }
}

export function formatDollars(dollars: number): string {
  return `$${DOLLARS.format(dollars)}`;
}

/** A fraction from 0 to 1 as a percentage; only certainty shows as 0 or 100. */
export function formatChance(fraction: number): string {
  if (fraction > 0 && fraction < 0.001) return '<0.1 %';
  if (fraction < 1 && fraction > 0.999) return '>99.9 %';
  return `${PERCENT.format(fraction * 100)} %`;
}

export function formatPrice(credits: number): string {
  return credits === 0 ? 'free' : countOf(credits, 'credit');
}

function inWords(date: string, formatter: Intl.DateTimeFormat): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : formatter.format(time);
}

function dates(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' });
}
