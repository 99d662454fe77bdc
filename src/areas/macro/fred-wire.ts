import * as z from 'zod';
import { isCalendarDay } from '../../core/fields.ts';
import { listOf } from '../../core/json-lists.ts';
import { cleanLine, cut } from '../../core/text.ts';
import { InvalidResponseError, RejectedRequestError } from '../../upstream/errors.ts';
import type { Reply } from '../../upstream/http.ts';
import { parseJson, readJson } from '../../upstream/json.ts';
import { FREQUENCIES } from './catalogue.ts';
import type { Vintage } from './vintages.ts';

type FredErrorCode = 'bad_key' | 'no_series' | 'too_many_vintages' | 'locked' | 'bad_request';

const WORDS: Readonly<Record<FredErrorCode, string>> = {
  bad_key: 'FRED rejected the key: check FRED_API_KEY.',
  no_series: 'FRED has no series with this id.',
  too_many_vintages: 'FRED refused a request for too many vintages.',
  locked: 'FRED has locked this key or this address; its help desk can unlock it.',
  bad_request: 'FRED rejected the request.',
};

export class FredRequestError extends RejectedRequestError {
  override readonly name = 'FredRequestError';
  readonly code: FredErrorCode;

  constructor(code: FredErrorCode, message: string = WORDS[code]) {
    super(message);
    this.code = code;
  }
}

/** What FRED writes in its `error_message`. */
const MESSAGES: readonly (readonly [RegExp, FredErrorCode])[] = [
  [/\bapi_key\b/i, 'bad_key'],
  [/\bseries does not exist/i, 'no_series'],
  [/\bmaximum number of vintage dates\b/i, 'too_many_vintages'],
];

/** FRED's description of a series. */
export interface SeriesDescription {
  seriesId: string;
  title: string;
  units: string;
  /** FRED's short form: "SA", "NSA", "SAAR" … */
  seasonalAdjustment: string;
  /** Null for a cadence outside the catalogue's, such as biweekly. */
  frequency: (typeof FREQUENCIES)[number] | null;
  /** As FRED says it: "Weekly, Ending Saturday". */
  nativeFrequency: string;
  /** When the series last changed, ISO 8601 UTC. */
  lastUpdated: string;
  /** First and last date with a value, YYYY-MM-DD. */
  observationStart: string;
  observationEnd: string;
}

/** One value of one date; FRED clips its validity to the requested real-time period. */
export type ObservationPeriod = Omit<Vintage, 'exact'>;

/** A real-time period. Bounds are inclusive; without an end it is open. */
export interface ObservationWindow {
  rtStart: string;
  rtEnd?: string;
}

/** FRED's bounds of real time: the earliest date, and "still current". */
export const FIRST_DAY = '1776-07-04';
export const LAST_DAY = '9999-12-31';
/** Statuses with a meaning of FRED's own; the client handles 429 and 5xx. */
export const MEANINGFUL_STATUSES = [400, 423] as const;

/** In characters, far above FRED's own texts. */
const MAX_TEXT = 400;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** FRED's own limit of rows on a page. */
const MAX_ROWS = 100_000;
const TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})([+-]\d{2})(?::?(\d{2}))?$/;

const day = z.string().refine(isCalendarDay);
const counted = { count: z.int().min(0), offset: z.int().min(0) };
const seriesRecord = z.object({
  id: z.string().min(1),
  title: z.string().min(1),
  observation_start: day,
  observation_end: day,
  frequency: z.string().min(1),
  units: z.string(),
  seasonal_adjustment_short: z.string().min(1),
  last_updated: z.string().transform((value, context) => {
    const instant = instantOf(value);
    if (instant !== null) return instant;
    context.addIssue('not a FRED timestamp');
    return z.NEVER;
  }),
});
const seriesPage = z.object({ seriess: listOf(seriesRecord, 1) });
const vintagesPage = z.object({ ...counted, vintage_dates: listOf(day, MAX_ROWS) });
const observationsPage = z.object({
  ...counted,
  observations: listOf(
    z.object({
      realtime_start: z.string(),
      realtime_end: z.string(),
      date: z.string(),
      value: z.string(),
    }),
    MAX_ROWS,
  ),
});
const refusal = z.object({ error_message: z.string() });

export interface PageRequest {
  offset: number;
  limit: number;
}

export interface Page<T> {
  /** Total number of rows, of which the page is a part. */
  count: number;
  rows: T[];
}

/** The requested series. */
export function parseSeries(reply: Reply, seriesId: string): SeriesDescription {
  const [record] = read(reply, seriesPage).seriess;
  if (record?.id.toUpperCase() !== seriesId.toUpperCase()) {
    throw new InvalidResponseError('FRED described a different series than requested.');
  }
  return { ...toDescription(record), seriesId };
}

/** Vintage dates of a series, oldest first. */
export function parseVintageDates(reply: Reply, request: PageRequest): Page<string> {
  const { vintage_dates: rows, ...rest } = read(reply, vintagesPage);
  return pageOf({ ...rest, rows }, request, (previous, next) => previous < next);
}

/** Rows of output_type 1. */
export function parseObservations(
  reply: Reply,
  request: PageRequest & ObservationWindow,
): Page<ObservationPeriod> {
  const { observations, ...rest } = read(reply, observationsPage);
  const { rtStart, rtEnd = LAST_DAY } = request;
  const rows = observations.map(({ realtime_start: from, realtime_end: to, date, value }) => {
    if (![from, to, date].every(isCalendarDay)) {
      throw new InvalidResponseError('FRED sent an invalid date.');
    }
    if (from < rtStart || to > rtEnd || from > to) {
      throw new InvalidResponseError('FRED sent a row outside the requested period.');
    }
    return { date, value: readValue(value), rtStart: from, rtEnd: to === LAST_DAY ? null : to };
  });
  return pageOf({ ...rest, rows }, request, (previous, next) =>
    previous.date === next.date
      ? previous.rtEnd !== null && previous.rtEnd < next.rtStart
      : previous.date < next.date,
  );
}

/** Throws a FredRequestError when FRED rejects the request, and an InvalidResponseError when a retry may help. */
function read<T>({ status, body }: Reply, shape: z.ZodType<T>): T {
  if (status === 423) throw new FredRequestError('locked');
  if (status === 400) {
    const message = refusal.safeParse(parseJson(body)).data?.error_message ?? '';
    const code = MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
    throw new FredRequestError(code ?? 'bad_request');
  }
  return readJson(body, shape, 'FRED');
}

/** Throws unless the page has as many rows as its own count requires, in order and none twice. */
function pageOf<T>(
  { count, offset, rows }: Page<T> & { offset: number },
  request: PageRequest,
  isBefore: (previous: T, next: T) => boolean,
): Page<T> {
  const expected = Math.max(Math.min(request.limit, count - request.offset), 0);
  if (offset !== request.offset || rows.length !== expected) {
    throw new InvalidResponseError('FRED sent a number of rows that contradicts its count.');
  }
  for (const [index, row] of rows.entries()) {
    const previous = rows[index - 1];
    if (previous !== undefined && !isBefore(previous, row)) {
      throw new InvalidResponseError('FRED sent a list out of order.');
    }
  }
  return { count, rows };
}

function readValue(text: string): number | null {
  if (text === '.' || text === '') return null;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value))
    throw new InvalidResponseError('FRED sent a value that is not a number.');
  return value;
}

/** FRED's "2026-01-22 07:46:36-06" as ISO 8601 UTC. */
function instantOf(text: string): string | null {
  const [, date, time, hours, minutes = '00'] = TIME.exec(text) ?? [];
  if (date === undefined || !isCalendarDay(date)) return null;
  const at = Date.parse(`${date}T${time}${hours}:${minutes}`);
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}

function toDescription(record: z.output<typeof seriesRecord>): SeriesDescription {
  const native = cut(cleanLine(record.frequency), MAX_TEXT);
  const word = native.split(',')[0]?.trim().toLowerCase();
  return {
    seriesId: record.id,
    title: cut(cleanLine(record.title), MAX_TEXT),
    units: cut(cleanLine(record.units), MAX_TEXT),
    seasonalAdjustment: cut(cleanLine(record.seasonal_adjustment_short), MAX_TEXT),
    frequency: FREQUENCIES.find((each) => each.toLowerCase() === word) ?? null,
    nativeFrequency: native,
    lastUpdated: record.last_updated,
    observationStart: record.observation_start,
    observationEnd: record.observation_end,
  };
}
