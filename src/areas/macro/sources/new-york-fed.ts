import { group, mean } from 'd3-array';
import * as z from 'zod';
import { isCalendarDay } from '../../../core/fields.ts';
import { DAY_MS, shiftDay } from '../../../core/time.ts';
import type { HttpClient, HttpResponse } from '../../../upstream/client.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import { listOf, readJson } from '../../../upstream/json.ts';
import { isBusinessDay, periodEnd, shiftPeriods } from '../facts/calendar.ts';
import {
  byDate,
  createFeed,
  type Feed,
  type Figure,
  OVERLAP_DAYS,
  type StoredFigures,
  toHundredths,
} from './feed.ts';

const NAME = 'The New York Fed';
const INTERVAL_MS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Number of days to request if nothing is stored. */
const DAYS_AT_FIRST = 365;
/** Number of monthly means of the funds rate to recompute, for comparison with the stored ones. */
const MONTHS_OF_MEANS = 30;

/** Maximum number of rows per response: about 80 years of business days. */
const MAX_ROWS = 20_000;

const rates = z.object({
  refRates: listOf(
    z.object({ effectiveDate: z.string(), type: z.string(), percentRate: z.unknown() }),
    MAX_ROWS,
  ),
});
const operations = z.object({
  repo: z.object({
    operations: listOf(
      z.object({
        operationDate: z.string(),
        operationType: z.string(),
        term: z.string(),
        auctionStatus: z.string(),
        note: z.string().nullish(),
        lastUpdated: z.string().nullish(),
        totalAmtAccepted: z.unknown(),
      }),
      MAX_ROWS,
    ),
  }),
});

/** Reference rates and reverse repo operations of the Federal Reserve Bank of New York. */
export function createNewYorkFedFeeds(
  client: Pick<HttpClient, 'get'>,
  { baseUrl }: { baseUrl: string },
): Feed[] {
  function ask<T>(path: string, read: (response: HttpResponse) => T, signal: AbortSignal) {
    const options = { maxBytes: MAX_BYTES, intervalMs: INTERVAL_MS, signal };
    return client.get(`${baseUrl}/${path}`, { ...options, read });
  }

  function listRates(path: string, type: string, from: string, today: string, signal: AbortSignal) {
    const count = Math.ceil((Date.parse(today) - Date.parse(from)) / DAY_MS) + 1;
    // The API counts business days, so this reaches further back than `from`.
    return ask(`rates/${path}/last/${count}.json`, (r) => parseRates(r, type, from, today), signal);
  }

  return [
    createFeed('new_york_fed', 'sofr', async (stored, today, signal) => {
      const from = startOf(stored, 'SOFR', today);
      const figures = await listRates('secured/sofr', 'SOFR', from, today, signal);
      return [{ seriesId: 'SOFR', figures }];
    }),
    createFeed('new_york_fed', 'effr', async (stored, today, signal) => {
      const from = startOf(stored, 'DFF', today);
      const rates = await listRates('unsecured/effr', 'EFFR', from, today, signal);
      const figures = carryForward(rates);
      const lastMonth = stored.lastDate('FEDFUNDS') ?? today;
      const first = shiftPeriods('Monthly', lastMonth, -MONTHS_OF_MEANS) ?? from;
      const daily = new Map(stored.since('DFF', first));
      for (const { date, value } of figures) daily.set(date, value);
      return [
        { seriesId: 'DFF', figures },
        { seriesId: 'FEDFUNDS', figures: monthlyMeans(daily) },
      ].filter((series) => series.figures.length > 0);
    }),
    createFeed('new_york_fed', 'reverse_repo', async (stored, today, signal) => {
      const from = startOf(stored, 'RRPONTSYD', today);
      const path = `rp/results/search.json?startDate=${from}&endDate=${today}`;
      const figures = await ask(path, (response) => parseOperations(response, from, today), signal);
      return [{ seriesId: 'RRPONTSYD', figures }];
    }),
  ];
}

function startOf(stored: StoredFigures, seriesId: string, today: string): string {
  const last = stored.lastDate(seriesId);
  return last === null ? shiftDay(today, -DAYS_AT_FIRST) : shiftDay(last, -OVERLAP_DAYS);
}

/** Averages over the calendar days of each complete month. */
export function monthlyMeans(daily: ReadonlyMap<string, number | null>): Figure[] {
  const months = group(daily, ([day]) => `${day.slice(0, 7)}-01`);
  const means = [...months].flatMap(([date, days]) => {
    const values = days.flatMap(([, value]) => value ?? []);
    const isWhole = values.length === Number(periodEnd('Monthly', date).slice(8));
    return isWhole ? [{ date, value: toHundredths(mean(values) ?? 0) }] : [];
  });
  return means.sort(byDate);
}

/** Carries values over weekends and holidays, as DFF does; any other gap stays open. */
function carryForward(figures: readonly Figure[]): Figure[] {
  return figures.flatMap((figure, index) => {
    const next = figures[index + 1]?.date ?? '';
    const copies = [figure];
    let day = shiftDay(figure.date, 1);
    for (; day < next && !isBusinessDay(day); day = shiftDay(day, 1)) {
      copies.push({ ...figure, date: day });
    }
    return copies;
  });
}

function parseRates(response: HttpResponse, type: string, from: string, today: string): Figure[] {
  const { refRates } = readJson(response.body, rates, NAME);
  if (refRates.length === 0 || refRates.some((rate) => rate.type !== type)) {
    throw new InvalidResponseError('The New York Fed sent rates other than those requested.');
  }
  const figures = new Map<string, Figure>();
  for (const { effectiveDate: date, percentRate: value } of refRates) {
    if (typeof value === 'number') figures.set(date, { date, value });
  }
  return inOrder([...figures.values()], from, today);
}

/** The largest reverse repo of each day: some days also have a second operation or a test. */
function parseOperations(response: HttpResponse, from: string, today: string): Figure[] {
  const main = new Map<string, Figure & { value: number }>();
  for (const operation of readJson(response.body, operations, NAME).repo.operations) {
    const { operationDate: date, operationType, term, auctionStatus } = operation;
    const { totalAmtAccepted: dollars, lastUpdated, note } = operation;
    // The API ignores a filter by type.
    const isMeant =
      operationType === 'Reverse Repo' && term === 'Overnight' && auctionStatus === 'Results';
    const isExercise = /small[ -]value/i.test(note ?? '');
    if (!isMeant || isExercise || typeof dollars !== 'number') continue;
    const value = dollars / 1e9;
    if ((main.get(date)?.value ?? -1) >= value) continue;
    const released = lastUpdated?.slice(0, 10) ?? '';
    const isStamped = isCalendarDay(released) && released >= date && released <= today;
    main.set(date, { date, value, ...(isStamped ? { released } : {}) });
  }
  return inOrder([...main.values()], from, today);
}

/** The figures for the requested days, in order. Throws an InvalidResponseError if no date is valid. */
function inOrder(figures: Figure[], from: string, today: string): Figure[] {
  const dated = figures.filter(({ date }) => isCalendarDay(date));
  if (dated.length === 0) throw new InvalidResponseError('The New York Fed sent no figures.');
  return dated.filter(({ date }) => date >= from && date <= today).sort(byDate);
}
