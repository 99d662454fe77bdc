import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBlsFeed } from '../../../../../src/areas/macro/sources/bls.ts';
import { describeShared } from '../../../../shared.ts';
import { BLS_REFUSAL } from '../../../../stand-ins/agencies.ts';
import { listed, NOTHING, signal, startAgency } from './start-agency.ts';

const TODAY = '2026-11-21';

async function fetchFrom(response: string, today = TODAY) {
  const { client, options, requests } = await startAgency(() => response);
  const sent = createBlsFeed(client, options).fetch(NOTHING, today, signal);
  return { sent, requests };
}

const bodyWith = (series: string) =>
  `{"status":"REQUEST_SUCCEEDED","responseTime":136,"message":[],"Results":{"series":[${series}]}}`;
const unrate = (...rows: string[]) => bodyWith(`{"seriesID":"LNS14000000","data":[${rows}]}`);
const row = (year: string, period: string, value: string) =>
  JSON.stringify({ year, period, periodName: '', value, footnotes: [{}] });

const SHAPELESS = '{"status":"REQUEST_SUCCEEDED","Results":[]}';
const FAILED = '{"status":"REQUEST_FAILED","Results":{}}';

it('the BLS query is for ten years, since the API silently cuts a longer range', async () => {
  const { sent, requests } = await fetchFrom(unrate());
  await sent;
  expect(requests).toMatchObject([{ path: '/timeseries/data/', type: 'application/json' }]);
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    seriesid: expect.arrayContaining(['CUSR0000SA0', 'CUSR0000SA0L1E', 'JTS000000000000000JOL']),
    startyear: '2017',
    endyear: '2026',
  });
});

describe('a BLS response', () => {
  it('is read oldest first, with null for missing values, and without annual means, unreadable values or the current month', async () => {
    const { sent } = await fetchFrom(
      unrate(
        row('2026', 'M11', '9.9'),
        row('2026', 'M04', '(NA)'),
        row('2026', 'Q01', '4.3'),
        row('2026', 'M01', '4.3'),
        row('2025', 'M13', '4.2'),
        row('2025', 'M12', '4.4'),
        row('2025', 'M10', '-'),
      ),
    );
    expect(listed(await sent)).toEqual({
      UNRATE: ['2025-10-01 null', '2025-12-01 4.4', '2026-01-01 4.3'],
    });
    const nothing = await fetchFrom(unrate(row('2026', 'M01', '(NA)')));
    expect(await nothing.sent).toEqual([]);
  });

  it.each([
    ['is a web page', 'after a retry', '<html></html>', { name: 'InvalidResponseError' }],
    ['has another shape', 'after a retry', SHAPELESS, { name: 'InvalidResponseError' }],
    ['reports an unprocessed query', 'at once', BLS_REFUSAL, { status: 429, retryAfterMs: 1.08e7 }],
    ['reports a rejected query', 'at once', FAILED, { message: 'BLS rejected the query.' }],
  ])('that %s is rejected %s', async (_, when, reply, error) => {
    const { sent, requests } = await fetchFrom(reply);
    await expect(sent).rejects.toMatchObject(error);
    expect(requests).toHaveLength(when === 'at once' ? 1 : 2);
  });
});

describeShared('recorded BLS responses', 'data/macro/agencies/bls', (directory) => {
  const recorded = (file: string) => readFileSync(join(directory, file), 'utf8');

  it('yield no figures if their messages say that there is no data', async () => {
    const { sent } = await fetchFrom(recorded('v1_1913_1916_trim.json'), '1916-12-31');
    expect(await sent).toEqual([]);
  });

  it('yield job openings from November 2017 to May 2018', async () => {
    const { sent } = await fetchFrom(bodyWith(recorded('v1_JTSJOL_2017_trim.json')), '2018-07-10');
    const { JTSJOL: openings = [] } = listed(await sent);
    expect([openings[0], openings.at(-1)]).toEqual(['2017-11-01 6271', '2018-05-01 7016']);
  });
});
