import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNewYorkFedFeeds } from '../../../../../src/areas/macro/sources/new-york-fed.ts';
import { describeShared } from '../../../../shared.ts';
import { listed, signal, startAgency, storeOf } from './start-agency.ts';

async function fetchFeed(
  name: string,
  response: string,
  stored: Parameters<typeof storeOf>[0] = {},
  today = '2026-09-28',
) {
  const { client, options, requests } = await startAgency(() => response);
  const feed = createNewYorkFedFeeds(client, options).find((each) => each.name === name);
  const sent = await feed?.fetch(storeOf(stored), today, signal);
  return { of: listed(sent), path: requests[0]?.path ?? '' };
}

const rates = (type: string, values: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    refRates: Object.entries(values).map(([effectiveDate, percentRate]) => ({
      effectiveDate,
      type,
      percentRate,
      revisionIndicator: '',
    })),
  });

describe('New York Fed rates', () => {
  it('are requested from 60 days before the last stored one, and read without missing values', async () => {
    const reply = rates('SOFR', { '2026-09-25': 3.9, '2026-09-24': null, '2026-09-23': '3.8' });
    const { of, path } = await fetchFeed('sofr', reply, { SOFR: { '2026-09-18': 3.8 } });
    expect(path).toBe('/rates/secured/sofr/last/71.json');
    expect(of).toEqual({ SOFR: ['2026-09-25 3.9'] });
  });

  it.each([
    ['has another rate', rates('EFFR', { '2026-09-25': 3.9 })],
    ['has no rate', rates('SOFR', {})],
    ['has text for a rate', rates('SOFR', { '2026-09-25': '3.9' })],
    ['is a web page', '<html></html>'],
  ])('are rejected if the response %s', async (_, response) => {
    await expect(fetchFeed('sofr', response)).rejects.toMatchObject({
      name: 'InvalidResponseError',
    });
  });

  it('include the funds rate on weekends and federal holidays, but fill no other gap', async () => {
    const values = { '2026-09-11': 3.63, '2026-09-08': 3.62, '2026-09-04': 3.6 };
    const { of } = await fetchFeed('effr', rates('EFFR', values), { DFF: { '2026-09-03': 3.6 } });
    // Monday the 7th is Labor Day; the 9th and the 10th are business days.
    expect(of).toEqual({
      DFF: ['04 3.6', '05 3.6', '06 3.6', '07 3.6', '08 3.62', '11 3.63'].map(
        (line) => `2026-09-${line}`,
      ),
    });
  });

  it('form a monthly mean together with the stored days', async () => {
    const days = Array.from({ length: 28 }, (_, day) => [
      `2026-02-${String(day + 1).padStart(2, '0')}`,
      day < 14 ? 3.6 : 3.61,
    ]);
    const response = rates('EFFR', { '2026-03-02': 3.7, '2026-02-27': 3.61 });
    const stored = { DFF: Object.fromEntries(days), FEDFUNDS: { '2026-01-01': 3.6 } };
    const { of } = await fetchFeed('effr', response, stored, '2026-03-03');
    // 3.605 is rounded half up.
    expect(of.FEDFUNDS).toEqual(['2026-02-01 3.61']);
  });
});

describeShared('recorded New York Fed responses', 'data/macro/agencies/nyfed', (directory) => {
  const recorded = (file: string) => readFileSync(join(directory, file), 'utf8');

  it('yield five days of SOFR', async () => {
    const stored = { SOFR: { '2026-09-18': 3.8 } };
    const { of } = await fetchFeed('sofr', recorded('sofr_last5.json'), stored);
    expect(of.SOFR?.map((line) => line.slice(8))).toEqual([
      ...['21 3.85', '22 3.87', '23 3.87', '24 3.88', '25 3.9'],
    ]);
  });

  it("include each day's reverse repo, dated by its last change, but not the repos", async () => {
    const stored = { RRPONTSYD: { '2026-09-18': 1 } };
    const file = recorded('rp_results_2026-09-28_trim.json');
    const { of, path } = await fetchFeed('reverse_repo', file, stored);
    expect(path).toBe('/rp/results/search.json?startDate=2026-07-20&endDate=2026-09-28');
    expect(of).toEqual({
      RRPONTSYD: ['2026-09-21 0.582 2026-09-22', '2026-09-28 0.851 2026-09-28'],
    });
  });
});

describe('reverse repos', () => {
  const operation = (closeTime: string, totalAmtAccepted: unknown, more: object = {}) => ({
    operationDate: '2026-09-25',
    operationType: 'Reverse Repo',
    term: 'Overnight',
    auctionStatus: 'Results',
    closeTime,
    totalAmtAccepted,
    ...more,
  });
  const fetchAll = async (...operations: object[]) => {
    const response = JSON.stringify({ repo: { operations } });
    return (await fetchFeed('reverse_repo', response)).of.RRPONTSYD;
  };

  it("come from each day's largest overnight operation, never from an exercise", async () => {
    const figures = await fetchAll(
      operation('13:15', 2_500_000_000),
      operation('10:15', 5_000_000),
      operation('15:30', 1_000_000_000),
      operation('14:00', 9_000_000_000, { note: 'SMALL VALUE EXERCISE' }),
      operation('15:00', 7e12, { term: 'Term' }),
      operation('15:00', 7e12, { auctionStatus: 'Announced' }),
      operation('15:00', 7e12, { operationType: 'Repo' }),
      operation('13:15', 1e9, { operationDate: '2026-09-23', note: 'Small value exercise' }),
      operation('13:15', null, { operationDate: '2026-09-24' }),
      operation('13:15', 1, { operationDate: 'today' }),
    );
    expect(figures).toEqual(['2026-09-25 2.5']);
  });
});
