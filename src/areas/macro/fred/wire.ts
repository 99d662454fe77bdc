import * as z from 'zod';
import { cleanLine, cut } from '../../../core/clean.ts';
import { isCalendarDay } from '../../../core/fields.ts';
import { BadAnswer, type Reply } from '../../../upstream/polite.ts';
import { FREQUENCIES } from '../catalogue/categories.ts';
import { FredRefusal, refusalOf } from './errors.ts';
import type { ObservationPeriod, ObservationWindow, SeriesDescription } from './records.ts';

/** FRED's bounds of time: before everything, and "still current". */
export const FIRST_DAY = '1776-07-04';
export const LAST_DAY = '9999-12-31';
/** Statuses that mean something; 429 and 5xx are the client's. */
export const MEANINGFUL_STATUSES = [400, 423] as const;

/** Longest texts that are taken over; FRED's own stay far below. */
const MOST = { title: 400, short: 100 } as const;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
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
    context.addIssue('no time');
    return z.NEVER;
  }),
  notes: z.string().optional(),
});
const seriesPage = z.object({ seriess: z.array(seriesRecord).length(1) });
const updatesPage = z.object({ ...counted, seriess: z.array(z.unknown()) });
const vintagesPage = z.object({ ...counted, vintage_dates: z.array(day) });
const observationsPage = z.object({
  ...counted,
  observations: z.array(
    z.object({
      realtime_start: z.string(),
      realtime_end: z.string(),
      date: z.string(),
      value: z.string(),
    }),
  ),
});
const refusal = z.object({ error_message: z.string() });

/** What was asked for with which bounds. */
export interface PageAsk {
  offset: number;
  limit: number;
}

export interface Page<T> {
  /** All there is, of which the page is a part. */
  count: number;
  rows: T[];
}

/** The one series that was asked for. */
export function parseSeries(reply: Reply, seriesId: string): SeriesDescription {
  const [record] = read(reply, seriesPage).seriess;
  if (record?.id.toUpperCase() !== seriesId.toUpperCase()) {
    throw new BadAnswer('FRED described another series than was asked for.');
  }
  return { ...toDescription(record), seriesId };
}

/** Series, the last one changed first; null for one that cannot be understood, of 800,000. */
export function parseUpdates(reply: Reply, ask: PageAsk): Page<SeriesDescription | null> {
  const { seriess, ...rest } = read(reply, updatesPage);
  const rows = seriess.map((each) => {
    const parsed = seriesRecord.safeParse(each);
    return parsed.success ? toDescription(parsed.data) : null;
  });
  return pageOf({ ...rest, rows }, ask);
}

/** Days on which a series changed, in their order. */
export function parseVintageDates(reply: Reply, ask: PageAsk & { since: string }): Page<string> {
  const { vintage_dates: rows, ...rest } = read(reply, vintagesPage);
  for (const [index, vintage] of rows.entries()) {
    if (vintage <= (rows[index - 1] ?? '') || vintage < ask.since) {
      throw new BadAnswer('FRED sent vintage dates out of order.');
    }
  }
  return pageOf({ ...rest, rows }, ask);
}

/** Rows of output_type 1. */
export function parseObservations(
  reply: Reply,
  ask: PageAsk & ObservationWindow,
): Page<ObservationPeriod> {
  const { observations, ...rest } = read(reply, observationsPage);
  const isDay = rememberDays();
  const { rtStart, rtEnd = LAST_DAY, observationStart = '', observationEnd = LAST_DAY } = ask;
  const rows = observations.map(({ realtime_start: from, realtime_end: to, date, value }) => {
    if (!isDay(from) || !isDay(to) || !isDay(date)) {
      throw new BadAnswer('FRED sent a day that does not exist.');
    }
    const within = from >= rtStart && to <= rtEnd && from <= to;
    if (!within || date < observationStart || date > observationEnd) {
      throw new BadAnswer('FRED sent a row outside of what was asked for.');
    }
    return { date, value: readValue(value), rtStart: from, rtEnd: to === LAST_DAY ? null : to };
  });
  return pageOf({ ...rest, rows }, ask);
}

/** Throws a FredRefusal where FRED declines, and a BadAnswer where another try may help. */
function read<T>({ status, body }: Reply, shape: z.ZodType<T>): T {
  if (status === 423) throw new FredRefusal('locked');
  const text = body.toString('utf8');
  const json = parseJson(text);
  if (status === 400) {
    const parsed = refusal.safeParse(json);
    throw refusalOf(parsed.success ? parsed.data.error_message : '');
  }
  if (json === undefined) throw new BadAnswer('FRED sent something that is no JSON.');
  const parsed = shape.safeParse(json);
  if (!parsed.success) throw new BadAnswer('FRED sent an answer of another shape.');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws unless the page holds exactly what its own count says that it has to. */
function pageOf<T>({ count, offset, rows }: Page<T> & { offset: number }, ask: PageAsk): Page<T> {
  const expected = Math.max(Math.min(ask.limit, count - ask.offset), 0);
  if (offset !== ask.offset || rows.length !== expected) {
    throw new BadAnswer('FRED sent another number of rows than it counts.');
  }
  return { count, rows };
}

function readValue(text: string): number | null {
  if (text === '.' || text === '') return null;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new BadAnswer('FRED sent a value that is no number.');
  return value;
}

/** Rows name the same few days over and over. */
function rememberDays(): (day: string) => boolean {
  const good = new Set<string>();
  return (candidate) => {
    if (good.has(candidate)) return true;
    if (!isCalendarDay(candidate)) return false;
    good.add(candidate);
    return true;
  };
}

/** FRED's "2026-01-22 07:46:36-06" as ISO 8601 UTC. */
function instantOf(text: string): string | null {
  const [, date, time, hours, minutes = '00'] = TIME.exec(text) ?? [];
  if (date === undefined || !isCalendarDay(date)) return null;
  const at = Date.parse(`${date}T${time}${hours}:${minutes}`);
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}

function toDescription(record: z.output<typeof seriesRecord>): SeriesDescription {
  const native = cut(cleanLine(record.frequency), MOST.short);
  const word = native.split(',')[0]?.trim().toLowerCase();
  return {
    seriesId: record.id,
    title: cut(cleanLine(record.title), MOST.title),
    units: cut(cleanLine(record.units), MOST.title),
    seasonalAdjustment: cut(cleanLine(record.seasonal_adjustment_short), MOST.short),
    frequency: FREQUENCIES.find((each) => each.toLowerCase() === word) ?? null,
    nativeFrequency: native,
    lastUpdated: record.last_updated,
    observationStart: record.observation_start,
    observationEnd: record.observation_end,
    notesSayCopyright: /copyright/i.test(record.notes ?? ''),
  };
}
