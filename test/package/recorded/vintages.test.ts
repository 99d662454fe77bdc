import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { group } from 'd3-array';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { storeFill } from '../../../src/areas/macro/fills.ts';
import { listCurrent } from '../../../src/areas/macro/queries.ts';
import { fetchVintages } from '../../../src/areas/macro/sources/fred-vintages.ts';
import { describeShared } from '../../shared.ts';
import { type FredRow, shift } from '../../stand-ins/fred-history.ts';
import { archiveOf, readVintages, shelfOf } from '../../unit/areas/macro/model.ts';
import { replay, startSource } from '../../unit/areas/macro/start-fred.ts';

const ALWAYS = { start: '0000-01-01', end: '9999-12-31' };
const rowsOf = z.object({
  observations: z.array(
    z.object({
      realtime_start: z.string(),
      realtime_end: z.string(),
      date: z.string(),
      value: z.string(),
    }),
  ),
});
const numberOf = (text: string) => (text === '.' ? null : Number(text));

describeShared("FRED's recorded responses", 'data/macro/fred-api', (directory) => {
  const readRows = (file: string): FredRow[] =>
    rowsOf.parse(JSON.parse(readFileSync(join(directory, file), 'utf8'))).observations;

  it('yield the GDP figures known on any day, and the current ones', async () => {
    const { standIn, source } = await startSource();
    const file = '035_fred_series_observations_200.json';
    replay(standIn, 'series', directory, '039_fred_series_200.json');
    const days = '049_fred_series_vintagedates_200.json';
    replay(standIn, 'series/vintagedates', directory, days);
    replay(standIn, 'series/observations', directory, file);
    const db = shelfOf('GDP');
    storeFill(db, await fetchVintages(source, 'GDP', null));
    expect(standIn.requests).toHaveLength(3);
    const rows = readRows(file);
    expect(rows).toHaveLength(3_199);
    expect(readVintages(db, 'GDP')).toHaveLength(3_199);

    const byDate = group(rows, ({ date }) => date);
    // Checks every third vintage, alternately on its first day and on the day before.
    const starts = [...new Set(rows.map((row) => row.realtime_start))].sort();
    const asOfDays = starts.filter((_, at) => at % 3 === 0).map((day, i) => shift(day, -(i % 2)));
    const archive = archiveOf(db, 'GDP');
    for (const day of asOfDays) {
      const known: unknown[] = [];
      const expected: unknown[] = [];
      for (const [date, published] of byDate) {
        const row = published.find((r) => r.realtime_start <= day && r.realtime_end >= day);
        known.push(archive(date, day)?.value);
        expected.push(row === undefined ? undefined : numberOf(row.value));
      }
      expect(known, day).toEqual(expected);
    }

    const served = listCurrent(db, 'GDP', ALWAYS);
    const current = readRows('033_fred_series_observations_200.json');
    expect(served.map(({ date, value }) => ({ date, value }))).toEqual(
      current.map(({ date, value }) => ({ date, value: numberOf(value) })),
    );
    const open = rows.filter((row) => row.realtime_end === '9999-12-31');
    expect(served.map(({ rtStart }) => rtStart)).toEqual(open.map((row) => row.realtime_start));
  });
});
