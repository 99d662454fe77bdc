import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { describeShared } from '../shared.ts';
import { type FredStandIn, makeSeries, startFred, TEST_KEY } from './fred.ts';
import type { FredSettings, StandInSeries } from './fred-answers.ts';
import { FredHistory, type FredRow } from './fred-history.ts';

const started: FredStandIn[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((standIn) => standIn.close()));
});

const row = z.object({
  realtime_start: z.string(),
  realtime_end: z.string(),
  date: z.string(),
  value: z.string(),
});
const answer = z.object({
  count: z.number().optional(),
  observations: z.array(row).optional(),
  vintage_dates: z.array(z.string()).optional(),
  error_message: z.string().optional(),
});

async function start(series: readonly StandInSeries[], settings: Partial<FredSettings> = {}) {
  const standIn = await startFred(series, settings);
  started.push(standIn);
  const ask = async (path: string, query: Record<string, string>) => {
    const search = new URLSearchParams({ file_type: 'json', api_key: TEST_KEY, ...query });
    const response = await fetch(`${standIn.url}/fred/${path}?${search}`);
    return { status: response.status, ...answer.parse(await response.json()) };
  };
  return { standIn, ask };
}

describeShared('as FRED itself', 'data/macro/fred-api', (directory) => {
  const read = (file: string) =>
    answer.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));
  const rowsOf = (file: string): FredRow[] => read(file).observations ?? [];
  const gdp = makeSeries({
    id: 'GDP',
    history: new FredHistory().load(rowsOf('036_fred_series_observations_200.json')),
  });

  it.each([
    ['037_fred_series_observations_200.json', '1776-07-04', '2019-01-01'],
    ['033_fred_series_observations_200.json', '2024-10-30', '2024-10-30'],
    ['036_fred_series_observations_200.json', '1776-07-04', '9999-12-31'],
  ])('clips rows as in %s', async (file, from, to) => {
    const { ask } = await start([gdp]);
    const query = { series_id: 'GDP', realtime_start: from, realtime_end: to };
    expect((await ask('series/observations', query)).observations).toEqual(rowsOf(file));
  });

  it('lists vintage dates', async () => {
    const { ask } = await start([gdp]);
    expect((await ask('series/vintagedates', { series_id: 'GDP' })).vintage_dates).toEqual(
      read('050_fred_series_vintagedates_200.json').vintage_dates,
    );
  });
});
