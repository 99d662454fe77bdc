import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTreasuryFeed } from '../../../../../src/areas/macro/sources/treasury.ts';
import { describeShared } from '../../../../shared.ts';
import { listed, signal, startAgency, storeOf } from './start-agency.ts';

const HEAD =
  'Date,"1 Mo","1.5 Month","2 Mo","3 Mo","6 Mo","1 Yr","2 Yr","3 Yr","5 Yr","7 Yr","10 Yr","20 Yr","30 Yr"';
const REAL_HEAD = 'Date,"5 YR","7 YR","10 YR","20 YR","30 YR"';
const NOMINAL = [
  HEAD,
  '09/25/2026,4.04,4.1,4.1,4.24,4.33,4.50,4.81,4.94,4.98,5.06,5.17,5.54,5.49',
  '09/24/2026,4.01,4.1,4.1,4.24,4.34,4.51,4.87,4.99,5.03,5.10,5.18,5.53,',
].join('\r\n');
const REAL = [
  REAL_HEAD,
  '09/25/2026,2.50,2.6,2.75,2.9,2.95',
  '9/24/2026,2.51,2.6,2.76,2.9,2.95',
].join('\n');

const storedUntil = (day: string) =>
  storeOf(Object.fromEntries(['DGS10', 'DFII10', 'T10YIE'].map((id) => [id, { [day]: 4 }])));

async function fetchFeed(
  response: (path: string) => string,
  { stored = storedUntil('2026-07-22'), today = '2026-09-28' } = {},
) {
  const { client, options, requests } = await startAgency(response);
  const sent = await createTreasuryFeed(client, options).fetch(stored, today, signal);
  return { requests, of: listed(sent), days: listed(sent).DGS10?.map((line) => line.slice(0, 10)) };
}

const curveOf = (path: string) => (path.includes('real') ? REAL : NOMINAL);

describe('yields and spreads', () => {
  it('come from one file per year and curve, whose columns are matched by header', async () => {
    const { of, requests } = await fetchFeed(curveOf);
    expect(requests.map(({ path }) => path)).toEqual([
      '/daily-treasury-rates.csv/2026/all?type=daily_treasury_yield_curve&field_tdr_date_value=2026&page&_format=csv',
      '/daily-treasury-rates.csv/2026/all?type=daily_treasury_real_yield_curve&field_tdr_date_value=2026&page&_format=csv',
    ]);
    expect(of).toMatchObject({
      DGS3MO: ['2026-09-24 4.24', '2026-09-25 4.24'],
      DGS30: ['2026-09-24 null', '2026-09-25 5.49'],
      T10Y2Y: ['2026-09-24 0.31', '2026-09-25 0.36'],
      T10Y3M: ['2026-09-24 0.94', '2026-09-25 0.93'],
      DFII10: ['2026-09-24 2.76', '2026-09-25 2.75'],
      T10YIE: ['2026-09-24 2.42', '2026-09-25 2.42'],
      T5YIE: ['2026-09-24 2.52', '2026-09-25 2.48'],
      T5YIFR: ['2026-09-24 2.32', '2026-09-25 2.36'],
    });
  });

  it('are requested across the turn of the year, to overlap stored ones', async () => {
    const lines = (path: string) => (path.includes('/2026/') ? NOMINAL : HEAD);
    const at = { stored: storedUntil('2026-12-31'), today: '2027-01-04' };
    const { requests } = await fetchFeed(lines, at);
    const years = requests.map(({ path }) => /\d{4}/.exec(path)?.[0]);
    expect(years).toEqual(['2026', '2027', '2026', '2027']);
  });

  it.each([
    ['is empty', ''],
    ['has other columns', 'Date,"5 Years","10 Years"\n09/25/2026,2.50,2.75'],
  ])('come without real yields if the file of the real curve %s', async (_, real) => {
    const { of } = await fetchFeed((path) => (path.includes('real') ? real : NOMINAL));
    const nominal = 'DGS3MO DGS2 DGS5 DGS10 DGS30 T10Y2Y T10Y3M';
    expect(Object.keys(of).join(' ')).toBe(nominal);
  });

  it('are read despite an empty file of the new year, but only in its first days', async () => {
    const lines = (path: string) => (path.includes('/2026/') ? NOMINAL : '');
    const at = (today: string) => ({ stored: storedUntil('2026-12-30'), today });
    expect((await fetchFeed(lines, at('2027-01-02'))).days?.at(-1)).toBe('2026-09-25');
    await expect(fetchFeed(lines, at('2027-02-01'))).rejects.toThrow(
      'without the expected columns',
    );
  });

  it.each([
    ['a row of another year', NOMINAL.replace('09/24/2026', '09/24/2025'), ['2026-09-25']],
    ['an impossible day', NOMINAL.replace('09/24/2026', '24/09/2026'), ['2026-09-25']],
    ['a future day', NOMINAL.replace('09/24/2026', '09/29/2026'), ['2026-09-25']],
    ['a short row', NOMINAL.replace(',5.54,5.49', ''), ['2026-09-24']],
    ['a value that is no number', NOMINAL.replace('5.17', 'five'), ['2026-09-24']],
  ])('are read in full except for %s', async (_, response, days) => {
    expect((await fetchFeed(() => response)).days).toEqual(days);
  });

  it.each([
    ['is a web page', '<html>Not found</html>'],
    ['lacks a column', NOMINAL.replace('"10 Yr"', '"Ten"')],
  ])('are rejected if the file %s', async (_, response) => {
    await expect(fetchFeed(() => response)).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });
});

describeShared('recorded Treasury files', 'data/macro/agencies/treasury', (directory) => {
  it('contain the yields and spreads of 7 October 2024', async () => {
    const file = readFileSync(
      join(directory, 'daily_par_yield_as_served_2024-10_trim.csv'),
      'utf8',
    );
    const at = { stored: storedUntil('2024-09-01'), today: '2024-10-08' };
    const { of } = await fetchFeed(() => file, at);
    expect([of.DGS10?.at(-1), of.T10Y2Y?.at(-1)]).toEqual(['2024-10-07 4.03', '2024-10-07 0.04']);
  });
});
