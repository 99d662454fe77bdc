import * as z from 'zod';
import { isCalendarDay } from '../../../core/fields.ts';
import { listOf } from '../../../core/json-lists.ts';
import { shiftDay } from '../../../core/time.ts';
import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../../upstream/http.ts';
import { readJson } from '../../../upstream/json.ts';
import { shiftPeriods } from './calendar.ts';
import { carryForward, monthlyMeans } from './derived.ts';
import { byDate, type Figure, OVERLAP_DAYS, type QueryFeed, type StoredFigures } from './feed.ts';

const NAME = 'The New York Fed';
const INTERVAL_MS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Asked for where nothing is held. */
const DAYS_AT_FIRST = 365;
/** Months of the funds rate that are computed again, to compare with what is held. */
const MONTHS_OF_MEANS = 30;

/** A rate has existed since 2014 at the earliest. */
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
  { baseUrl, paceMs }: { baseUrl: string; paceMs: number | undefined },
): QueryFeed[] {
  function ask<T>(path: string, read: (reply: Reply) => T, signal: AbortSignal): Promise<T> {
    const intervalMs = paceMs ?? INTERVAL_MS;
    return client.get(`${baseUrl}/${path}`, { read, maxBytes: MAX_BYTES, intervalMs, signal });
  }

  function listRates(path: string, type: string, from: string, today: string, signal: AbortSignal) {
    const count = Math.ceil((Date.parse(today) - Date.parse(from)) / 86_400_000) + 1;
    // Business days only, so this reaches back further than `from`.
    return ask(`rates/${path}/last/${count}.json`, (r) => parseRates(r, type, from, today), signal);
  }

  return [
    {
      name: 'sofr',
      agency: 'new_york_fed',
      seriesIds: ['SOFR'],
      async fetch(held, today, signal) {
        const from = askFrom(held, 'SOFR', today);
        const figures = await listRates('secured/sofr', 'SOFR', from, today, signal);
        return [{ seriesId: 'SOFR', from, figures }];
      },
    },
    {
      name: 'effr',
      agency: 'new_york_fed',
      seriesIds: ['DFF', 'FEDFUNDS'],
      async fetch(held, today, signal) {
        const from = askFrom(held, 'DFF', today);
        const figures = carryForward(
          await listRates('unsecured/effr', 'EFFR', from, today, signal),
        );
        const lastMonth = held.lastDate('FEDFUNDS') ?? today;
        const first = shiftPeriods('Monthly', lastMonth, -MONTHS_OF_MEANS) ?? from;
        const daily = new Map([
          ...held.since('DFF', first),
          ...figures.map(({ date, value }) => [date, value] as const),
        ]);
        return [
          { seriesId: 'DFF', from: figures[0]?.date ?? from, figures },
          { seriesId: 'FEDFUNDS', from: first, figures: monthlyMeans(daily) },
        ].filter((series) => series.figures.length > 0);
      },
    },
    {
      name: 'reverse_repo',
      agency: 'new_york_fed',
      seriesIds: ['RRPONTSYD'],
      async fetch(held, today, signal) {
        const from = askFrom(held, 'RRPONTSYD', today);
        const path = `rp/results/search.json?startDate=${from}&endDate=${today}`;
        const figures = await ask(path, (reply) => parseOperations(reply, from, today), signal);
        return [{ seriesId: 'RRPONTSYD', from, figures }];
      },
    },
  ];
}

function askFrom(held: StoredFigures, seriesId: string, today: string): string {
  const last = held.lastDate(seriesId);
  return last === null ? shiftDay(today, -DAYS_AT_FIRST) : shiftDay(last, -OVERLAP_DAYS);
}

function parseRates(reply: Reply, type: string, from: string, today: string): Figure[] {
  const { refRates } = readJson(reply.body, rates, NAME);
  if (refRates.length === 0 || refRates.some((rate) => rate.type !== type)) {
    throw new InvalidResponseError('The New York Fed sent other rates than asked for.');
  }
  const values = new Map(
    refRates.flatMap(({ effectiveDate, percentRate }) =>
      typeof percentRate === 'number' ? [[effectiveDate, percentRate] as const] : [],
    ),
  );
  const figures = [...values].map(([date, value]) => ({ date, value }));
  return inOrder(figures, from, today);
}

/**
 * The reverse repo of each day: the largest, since a second or small one stands beside the operation
 * on some days. The API ignores a filter by type.
 */
function parseOperations(reply: Reply, from: string, today: string): Figure[] {
  const main = new Map<string, Figure & { value: number }>();
  for (const operation of readJson(reply.body, operations, NAME).repo.operations) {
    const { operationDate: date, operationType, term, auctionStatus } = operation;
    const { totalAmtAccepted: dollars, lastUpdated, note } = operation;
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

/** Those of the days asked for. Throws an InvalidResponseError where none is readable. */
function inOrder(figures: Figure[], from: string, today: string): Figure[] {
  const sound = figures.filter(({ date }) => isCalendarDay(date));
  if (sound.length === 0) throw new InvalidResponseError('The New York Fed sent no figures.');
  return sound.filter(({ date }) => date >= from && date <= today).sort(byDate);
}
