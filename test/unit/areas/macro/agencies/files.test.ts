import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBeaFeeds } from '../../../../../src/areas/macro/agencies/bea.ts';
import { createCensusFeeds } from '../../../../../src/areas/macro/agencies/census.ts';
import type { Feed } from '../../../../../src/areas/macro/agencies/feed.ts';
import { createFhfaFeed } from '../../../../../src/areas/macro/agencies/fhfa.ts';
import { createHttpClient } from '../../../../../src/upstream/client.ts';
import type { Validators } from '../../../../../src/upstream/http.ts';
import { describeShared } from '../../../../shared.ts';
import { NOTHING, signal } from './start-agency.ts';

const TODAY = '2026-09-28';
const MODIFIED = 'Wed, 26 Aug 2026 12:30:00 GMT';

/** A server of one file, which sends it once for each version. */
async function startFile(text: string, modified: string | null = MODIFIED) {
  const paths: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    paths.push(url);
    const version = modified === null ? {} : { 'last-modified': modified };
    const isHeld = modified !== null && headers['if-modified-since'] === modified;
    response.writeHead(isHeld ? 304 : 200, version).end(isHeld ? undefined : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = createHttpClient({
    userAgent: 'quantshelf/test',
    now: () => new Date(),
    longestWaitMs: 0,
    tries: 1,
  });
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, baseUrl: `http://127.0.0.1:${address.port}`, paths };
}

const now = () => new Date(`${TODAY}T12:00:00Z`);

async function fetchBea(text: string, name = 'bea_monthly', modified: string | null = MODIFIED) {
  const { client, baseUrl } = await startFile(text, modified);
  return createBeaFeeds(client, { baseUrl })
    .find((feed) => feed.name === name)
    ?.fetch(NOTHING, TODAY, signal);
}

async function fetchCensus(text: string, name = 'census_sales') {
  const { client, baseUrl, paths } = await startFile(text, null);
  const told = createCensusFeeds(client, { baseUrl, now })
    .find((feed) => feed.name === name)
    ?.fetch(NOTHING, TODAY, signal);
  return { told, paths };
}

const EXPORT = [
  'U.S. Census Bureau',
  'Source: Advance Monthly Sales for Retail and Food Services',
  '44X72: Retail Trade and Food Services: U.S. Total',
  'Seasonally Adjusted Sales - Monthly [Millions of Dollars]',
  'Period: 1992 to 2026',
  '',
  'Period,Value',
  'Jul-2026,729538',
  'Aug-2026,737763',
  'Sep-2026,NA',
];

describe('the BEA', () => {
  it('has several series in a file; the newest figure came out with it', async () => {
    const told = await fetchBea(
      '%SeriesCode,Period,Value\nA001RC,2026M07,"(NA)"\nDPCERX,2026M07,"16,734,549"\nDPCERX,2026M06,"16,700,049"\nDPCERG,2026M07,131.659\n',
    );
    expect(told).toEqual([
      {
        seriesId: 'PCEPI',
        from: '2026-07-01',
        figures: [{ date: '2026-07-01', value: 131.659, released: '2026-08-26' }],
      },
      {
        seriesId: 'PCEC96',
        from: '2026-06-01',
        figures: [
          { date: '2026-06-01', value: 16_700 },
          { date: '2026-07-01', value: 16_734.5, released: '2026-08-26' },
        ],
      },
    ]);
  });

  it.each([
    ['a page with status 200', '<html>not found</html>'],
    ['another header', 'Code,Period,Value\nDPCERG,2026M07,131.659'],
    ['a value that is no number', '%SeriesCode,Period,Value\nDPCERG,2026M07,"(NA)"'],
    ['an unknown period', '%SeriesCode,Period,Value\nDPCERG,2026W07,131.659'],
  ])('is refused for %s', async (_, text) => {
    await expect(fetchBea(text)).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });

  it('is not sent a file again that has not changed', async () => {
    const { client, baseUrl, paths } = await startFile(
      '%SeriesCode,Period,Value\nA191RL,2025,"2.1"\n',
    );
    const versions = new Map<string, Validators>();
    const held = {
      ...NOTHING,
      versionOf: (url: string) => versions.get(url),
      keepVersion: (url: string, version: Validators) => versions.set(url, version),
    };
    const feed = createBeaFeeds(client, { baseUrl }).find(({ name }) => name === 'bea_annual');
    expect(await feed?.fetch(held, TODAY, signal)).toMatchObject([
      { seriesId: 'A191RL1A225NBEA', figures: [{ date: '2025-01-01', value: 2.1 }] },
    ]);
    expect(await feed?.fetch(held, TODAY, signal)).toBe('unchanged');
    expect(paths).toEqual(Array(2).fill('/national/Release/TXT/NipaDataA.txt'));
  });
});

describe('the Census Bureau', () => {
  it('is asked for adjusted figures alone; months to come are left out', async () => {
    const { told, paths } = await fetchCensus(EXPORT.join('\n'));
    expect(await told).toEqual([
      {
        seriesId: 'RSAFS',
        from: '2026-07-01',
        figures: [
          { date: '2026-07-01', value: 729_538 },
          { date: '2026-08-01', value: 737_763 },
        ],
      },
    ]);
    const query = new URL(paths[0] ?? '', 'http://x').searchParams;
    expect(query.has('notAdjusted')).toBe(false);
    expect(Object.fromEntries(query)).toMatchObject({
      ...{ program: 'MARTS', 'categories[]': '44X72', dataType: 'SM', adjusted: '1' },
      ...{ startYear: '1992', endYear: '2026', format: 'csv', geoLevel: 'US' },
    });
  });

  it.each([
    ['unadjusted figures', EXPORT.join('\n').replace('Seasonally', 'Not Seasonally')],
    ['a page', '<html></html>'],
    ['an unreadable row', EXPORT.join('\n').replace('Aug-2026', '2026-08')],
    ['a value that is no number', EXPORT.join('\n').replace('737763', '(S)')],
  ])('is refused for %s', async (_, text) => {
    const { told } = await fetchCensus(text);
    await expect(told).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });
});

describe('the FHFA', () => {
  const fetchFhfa = async (text: string) => {
    const { client, baseUrl } = await startFile(text);
    const feed: Feed = createFhfaFeed(client, { baseUrl });
    return feed.fetch(NOTHING, TODAY, signal);
  };

  it('has the country between its divisions', async () => {
    const told = await fetchFhfa('DV_ENC,2026,1,300\nUSA,2026,1,715.2\nUSA,2026,2,719.87\n');
    expect(told).toEqual([
      {
        seriesId: 'USSTHPI',
        from: '2026-01-01',
        figures: [
          { date: '2026-01-01', value: 715.2 },
          { date: '2026-04-01', value: 719.87 },
        ],
      },
    ]);
  });

  it.each([['<html></html>'], ['USA,2026,5,719.87'], ['USA,2026,1,-']])(
    'is refused for %s',
    async (text) => {
      await expect(fetchFhfa(text)).rejects.toMatchObject({ name: 'InvalidResponseError' });
    },
  );
});

describeShared('recorded files', 'data/macro/agencies', (directory) => {
  const recorded = (file: string) => readFileSync(join(directory, file), 'utf8');
  const newest = (told: Awaited<ReturnType<Feed['fetch']>> | undefined) =>
    told === undefined || told === 'unchanged'
      ? told
      : told.map(({ seriesId, figures }) => [
          seriesId,
          figures.at(-1)?.date,
          figures.at(-1)?.value,
        ]);

  it('of the BEA bring prices and the gross domestic product', async () => {
    const monthly = await fetchBea(recorded('bea/NipaDataM_2026-08-26_trim.txt'));
    expect(newest(monthly)).toContainEqual(['PCEPI', '2026-07-01', 131.659]);
    const quarterly = await fetchBea(
      recorded('bea/NipaDataQ_2026-08-26_trim.txt'),
      'bea_quarterly',
    );
    expect(newest(quarterly)).toContainEqual(['GDPC1', '2026-04-01', 24_269.613]);
  });

  it('of the Census Bureau bring retail sales', async () => {
    const { told } = await fetchCensus(
      recorded('census/export_MARTS_44X72_SM_2026-09-28_trim.csv'),
    );
    expect(newest(await told)).toEqual([['RSAFS', '2026-08-01', 737_763]]);
  });
});
