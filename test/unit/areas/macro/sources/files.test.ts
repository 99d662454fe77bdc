import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFedBoardFeeds } from '../../../../../src/areas/macro/sources/fed-board.ts';
import type { Feed } from '../../../../../src/areas/macro/sources/feed.ts';
import { createTableFeeds } from '../../../../../src/areas/macro/sources/file-feeds.ts';
import { type Config, readConfig } from '../../../../../src/config.ts';
import type { HttpClient } from '../../../../../src/upstream/client.ts';
import type { Validators } from '../../../../../src/upstream/connections.ts';
import { describeShared } from '../../../../shared.ts';
import { makeZip } from '../../../../stand-ins/zip.ts';
import { listed, NOTHING, signal, startAgency } from './start-agency.ts';

const TODAY = '2026-09-28';
const MODIFIED = 'Wed, 26 Aug 2026 12:30:00 GMT';

async function startFile(text: string | Buffer, modified?: string, location?: string) {
  const { client, options, requests } = await startAgency(() => text, { modified, location });
  return { client, baseUrl: options.baseUrl, requests };
}

async function fetchBea(text: string, name = 'bea_monthly') {
  const { client, baseUrl } = await startFile(text, MODIFIED);
  return createTableFeeds(client, 'bea', { baseUrl })
    .find((feed) => feed.name === name)
    ?.fetch(NOTHING, TODAY, signal);
}

async function fetchCensus(text: string, name = 'census_sales') {
  const { client, baseUrl, requests } = await startFile(text);
  const sent = createTableFeeds(client, 'census', { baseUrl })
    .find((feed) => feed.name === name)
    ?.fetch(NOTHING, TODAY, signal);
  return { sent, requests };
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

it('a file that does not fit on this machine fails only its feed, and the error says how to free space', async () => {
  vi.stubEnv('TMPDIR', join(import.meta.dirname, 'no such directory'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  await expect(fetchBea('')).rejects.toMatchObject({
    name: 'RejectedRequestError',
    message: expect.stringMatching(/\(ENOENT\): free space .* TMPDIR/),
  });
});

describe('a file that its agency redirects', () => {
  const feedsAt = (client: HttpClient, baseUrls: Config['agencies']): Feed[] => [
    ...createFedBoardFeeds(client, { baseUrl: baseUrls.fed_board }),
    ...createTableFeeds(client, 'bea', { baseUrl: baseUrls.bea }),
    ...createTableFeeds(client, 'census', { baseUrl: baseUrls.census }),
    ...createTableFeeds(client, 'fhfa', { baseUrl: baseUrls.fhfa }),
  ];
  const { agencies } = readConfig({});

  it('may come from another host of the agency', async () => {
    const asked: string[] = [];
    const client: HttpClient = {
      ...(await startFile('')).client,
      async download(url, _, { redirectDomains }) {
        asked.push(url);
        expect(redirectDomains).toHaveLength(1);
        expect(new URL(url).hostname, url).toMatch(new RegExp(`\\.${redirectDomains?.[0]}$`));
        return { bytes: null, etag: null, lastModified: null };
      },
    };
    const feeds = feedsAt(client, agencies);
    for (const feed of feeds) await feed.fetch(NOTHING, TODAY, signal);
    expect(asked).toHaveLength(feeds.length);
  });

  it('is not fetched from a foreign host', async () => {
    const elsewhere = await startFile('secrets');
    const { client, baseUrl } = await startFile('', undefined, `${elsewhere.baseUrl}/x`);
    const here = Object.fromEntries(Object.keys(agencies).map((name) => [name, baseUrl]));
    for (const feed of feedsAt(client, { ...agencies, ...here })) {
      await expect(feed.fetch(NOTHING, TODAY, signal), feed.name).rejects.toMatchObject({
        fault: 'redirect',
      });
    }
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('the BEA', () => {
  it('publishes several series in one file, whose date is that of the newest figure', async () => {
    const sent = await fetchBea(
      '%SeriesCode,Period,Value\nA001RC,2026M07,"(NA)"\nDPCERX,2026M07,"16,734,549"\nDPCERX,2026M06,"16,700,049"\nDPCERG,2026M07,131.659\n',
    );
    expect(listed(sent)).toEqual({
      PCEPI: ['2026-07-01 131.659 2026-08-26'],
      PCEC96: ['2026-06-01 16700', '2026-07-01 16734.5 2026-08-26'],
    });
  });

  it.each([
    ['a page with status 200', '<html>not found</html>'],
    ['another header', 'Code,Period,Value\nDPCERG,2026M07,131.659'],
    ['values of which none is a number', '%SeriesCode,Period,Value\nDPCERG,2026M07,"(NA)"'],
  ])('is refused for %s', async (_, text) => {
    await expect(fetchBea(text)).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });

  it.each([
    ['a value that is no number', 'DPCERG,2026M06,"(NA)"'],
    ['a month that does not exist', 'DPCERG,2026M13,131.2'],
    ['a value with commas and no quotes', 'DPCERG,2026M06,23,612,345'],
    ['a row with an empty cell too many', 'DPCERG,,2026M06,131.2'],
    ['a stray quote', 'DPCERG,2026M06,"131.2'],
  ])('loses only %s', async (_, row) => {
    const sent = await fetchBea(
      `%SeriesCode,Period,Value\r\nDPCERG,2026M05,131.1\r\n${row}\r\nDPCERG,2026M07,"131.659"\r\n`,
    );
    expect(listed(sent)).toEqual({
      PCEPI: ['2026-05-01 131.1', '2026-07-01 131.659 2026-08-26'],
    });
  });

  it('does not send an unchanged file again', async () => {
    const file = '%SeriesCode,Period,Value\nA191RL,2025,"2.1"\n';
    const { client, baseUrl, requests } = await startFile(file, MODIFIED);
    const versions = new Map<string, Validators>();
    const stored = {
      ...NOTHING,
      versionOf: (url: string) => versions.get(url),
      keepVersion: (url: string, version: Validators) => versions.set(url, version),
    };
    const feed = createTableFeeds(client, 'bea', { baseUrl }).find(
      ({ name }) => name === 'bea_annual',
    );
    expect(listed(await feed?.fetch(stored, TODAY, signal))).toEqual({
      A191RL1A225NBEA: ['2025-01-01 2.1 2026-08-26'],
    });
    expect(await feed?.fetch(stored, TODAY, signal)).toBeNull();
    expect(requests).toMatchObject(Array(2).fill({ path: '/national/Release/TXT/NipaDataA.txt' }));
  });
});

describe('the Census Bureau', () => {
  it('is queried only for adjusted figures, and its future months are dropped', async () => {
    const { sent, requests } = await fetchCensus(EXPORT.join('\n'));
    expect(listed(await sent)).toEqual({ RSAFS: ['2026-07-01 729538', '2026-08-01 737763'] });
    const query = new URL(requests[0]?.path ?? '', 'http://x').searchParams;
    expect(query.has('notAdjusted')).toBe(false);
    expect(Object.fromEntries(query)).toMatchObject({
      ...{ program: 'MARTS', 'categories[]': '44X72', dataType: 'SM', adjusted: '1' },
      ...{ startYear: '1992', endYear: '2026', format: 'csv', geoLevel: 'US' },
    });
  });

  it.each([
    ['2027-01-15', '2026'],
    ['2027-02-01', '2027'],
  ])(
    'is queried on %s for data up to %s, the year of the newest possible month',
    async (at, year) => {
      const { client, baseUrl, requests } = await startFile(EXPORT.join('\n'));
      const [feed] = createTableFeeds(client, 'census', { baseUrl });
      await feed?.fetch(NOTHING, at, signal);
      const { path = '' } = requests[0] ?? {};
      expect(new URL(path, 'http://x').searchParams.get('endYear')).toBe(year);
    },
  );

  it.each([
    ['[Thousands of Dollars]', 'Thousands of Dollars'],
    ['[Millions]', 'Millions of Dollars'],
  ])('names its units: %s', async (shown, units) => {
    const { sent } = await fetchCensus(EXPORT.join('\n').replace('[Millions of Dollars]', shown));
    expect(await sent).toMatchObject([{ units }]);
  });

  it.each([
    ['unadjusted figures', EXPORT.join('\n').replace('Seasonally', 'Not Seasonally')],
    ['a page', '<html></html>'],
    ['months of which none is readable', EXPORT.slice(0, -3).join('\n')],
  ])('is refused for %s', async (_, text) => {
    const { sent } = await fetchCensus(text);
    await expect(sent).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });
});

describe('the FHFA', () => {
  const fetchFhfa = async (text: string) => {
    const { client, baseUrl } = await startFile(text);
    const [feed] = createTableFeeds(client, 'fhfa', { baseUrl });
    return feed?.fetch(NOTHING, TODAY, signal);
  };

  it('lists the whole country among its divisions', async () => {
    const sent = await fetchFhfa('DV_ENC,2026,1,300\nUSA,2026,1,715.2\nUSA,2026,2,719.87\n');
    expect(listed(sent)).toEqual({ USSTHPI: ['2026-01-01 715.2', '2026-04-01 719.87'] });
  });

  it('has its base in the quarter whose index is 100', async () => {
    const sent = await fetchFhfa('USA,1991,3,99.9\nUSA,1991,4,100\nUSA,2026,2,420.5\n');
    expect(sent).toMatchObject([{ units: 'Index 1991:Q4=100' }]);
  });

  it.each([['<html></html>'], ['USA,2026,5,719.87'], ['DV_ENC,2026,1,300']])(
    'is refused for %s',
    async (text) => {
      await expect(fetchFhfa(text)).rejects.toMatchObject({ name: 'InvalidResponseError' });
    },
  );

  it.each(['USA,2026,5,719.87', 'USA,2026,1,-', 'USA,,2026,1,5', 'USA,2026,1,0'])(
    'loses the row %s alone',
    async (row) => {
      const sent = await fetchFhfa(`"USA","2025","4","714.1"\r\n${row}\r\nUSA,2026,2,719.87\r\n`);
      expect(listed(sent)).toEqual({ USSTHPI: ['2025-10-01 714.1', '2026-04-01 719.87'] });
    },
  );
});

describe('the Federal Reserve Board', () => {
  const series = (attributes: string, ...rows: string[]) =>
    `<kf:Series ${attributes} ><a>text</a>${rows.join('\n')}</kf:Series>`;
  const row = (day: string, value: string, status = 'A') =>
    `<frb:Obs OBS_VALUE="${value}" TIME_PERIOD="${day}" OBS_STATUS="${status}" />`;
  const fetchBoard = async (file: Buffer | string, name: string) => {
    const { client, baseUrl, requests } = await startFile(file, MODIFIED);
    const feed = createFedBoardFeeds(client, { baseUrl }).find((each) => each.name === name);
    return { sent: await feed?.fetch(NOTHING, TODAY, signal), requests };
  };
  const damaged = (zip: Buffer) => zip.fill(0xff, 90, 110);
  const archive = (text: string) => makeZip({ 'X_struct.xml': '<x/>', 'X_data.xml': text });
  const sum = (...rows: string[]) => archive(series('SERIES_NAME="M2.M"', ...rows));

  it("dates periods by their last day, which is converted to FRED's first day", async () => {
    const { sent, requests } = await fetchBoard(
      sum(row('2026-06-30', '22800.5'), row('2026-07-31', '22900.1')),
      'h6',
    );
    expect(requests).toMatchObject([{ path: '/releases/h6/data/FRB_H6_xml.zip' }]);
    expect(listed(sent)).toEqual({
      M2SL: ['2026-06-01 22800.5', '2026-07-01 22900.1 2026-08-26'],
    });
    const card = 'CHGDEL="DEL" SIZE="ALL" SA="SA" COMPONENT="RATIO" LOANTYPE="CONCC"';
    const rates = series(card, row('2026-06-30', '2.85'));
    const other = series(card.replace('"SA"', '"NSA"'), row('2026-06-30', '9.99'));
    const { sent: quarters } = await fetchBoard(archive(`${other}${rates}${other}`), 'chargeoff');
    expect(listed(quarters)).toEqual({ DRCCLACBS: ['2026-04-01 2.85 2026-08-26'] });
  });

  it.each([
    ['UNIT="Index:_2017_100"', 'Index 2017=100'],
    ['UNIT="Index:_2022_100"', 'Index 2022=100'],
    ['UNIT="Index"', 'Index'],
    ['', ''],
  ])('states the base of industrial production: %s', async (unit, units) => {
    const index = series(`${unit} SERIES_NAME="IP.B50001.S"`, row('2026-06-30', '102.5'));
    const { sent } = await fetchBoard(archive(index), 'g17');
    expect(sent).toMatchObject([{ seriesId: 'INDPRO', units }]);
  });

  it('marks a holiday as missing, but not days outside its figures', async () => {
    const euro = series(
      'SERIES_NAME="RXI$US_N.B.EU"',
      row('1999-01-01', '-9999', 'ND'),
      row('2026-09-04', '1.14'),
      row('2026-09-07', '-9999', 'ND'),
      row('2026-09-08', '1.15'),
      row('2026-09-09', '-9999', 'ND'),
    );
    const { sent } = await fetchBoard(archive(euro), 'h10');
    expect(listed(sent)).toEqual({
      DEXUSEU: ['2026-09-04 1.14', '2026-09-07 null', '2026-09-08 1.15'],
    });
  });

  it.each([
    ['a value that is no number', row('2026-06-30', 'x')],
    ['a day that does not exist', row('2026-06-31', '22800.5')],
    ['an observation without attributes', '<frb:Obs />'],
  ])('loses only %s', async (_, odd) => {
    // The order of attributes and line ends between them are the exporter's choice.
    const last = '<Obs\n TIME_PERIOD="2026-07-31" OBS_STATUS="A"\n OBS_VALUE="22900.1"/>';
    const { sent } = await fetchBoard(sum(row('2026-05-31', '2.27e4'), odd, last), 'h6');
    expect(listed(sent)).toEqual({
      M2SL: ['2026-05-01 22700', '2026-07-01 22900.1 2026-08-26'],
    });
  });

  it.each([
    ['a page', '<html></html>'],
    ['an archive without the figures', makeZip({ 'X_struct.xml': '<x/>' })],
    ['a damaged archive', damaged(sum(row('2026-06-30', '2.1')))],
    ['values of which none is a number', sum(row('2026-06-30', 'x'))],
  ])('is refused for %s', async (_, file) => {
    await expect(fetchBoard(file, 'h6')).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });
});

describeShared('recorded files', 'data/macro/agencies', (directory) => {
  const recorded = (file: string) => readFileSync(join(directory, file), 'utf8');
  const newest = (sent: Awaited<ReturnType<Feed['fetch']>> | undefined, id: string) =>
    listed(sent)[id]?.at(-1);

  it('a recorded BEA file yields prices and gross domestic product', async () => {
    const monthly = await fetchBea(recorded('bea/NipaDataM_2026-08-26_trim.txt'));
    expect(newest(monthly, 'PCEPI')).toBe('2026-07-01 131.659 2026-08-26');
    const quarterly = await fetchBea(
      recorded('bea/NipaDataQ_2026-08-26_trim.txt'),
      'bea_quarterly',
    );
    expect(newest(quarterly, 'GDPC1')).toBe('2026-04-01 24269.613 2026-08-26');
  });

  it('a recorded file of the Federal Reserve Board yields consumer credit from 1943 on', async () => {
    const { client, baseUrl } = await startFile(
      readFileSync(join(directory, 'fed-board/FRB_G19_2016.zip')),
    );
    const feed = createFedBoardFeeds(client, { baseUrl }).find(({ name }) => name === 'g19');
    const sent = await feed?.fetch(NOTHING, TODAY, signal);
    expect(sent?.[0]?.figures).toHaveLength(872);
    expect(sent?.[0]?.figures[0]).toEqual({ date: '1943-01-01', value: 6577.83 });
    expect(newest(sent, 'TOTALSL')).toMatch(/^2015-08-01 /);
  });

  it('a recorded Census Bureau file yields retail sales', async () => {
    const { sent } = await fetchCensus(
      recorded('census/export_MARTS_44X72_SM_2026-09-28_trim.csv'),
    );
    expect(newest(await sent, 'RSAFS')).toBe('2026-08-01 737763');
  });
});
