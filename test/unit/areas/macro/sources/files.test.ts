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

const MODIFIED = 'Wed, 26 Aug 2026 12:30:00 GMT';
const { agencies } = readConfig({});

const openFeeds = (client: HttpClient, baseUrls: Config['agencies']): Feed[] => [
  ...createFedBoardFeeds(client, { baseUrl: baseUrls.fed_board }),
  ...createTableFeeds(client, 'bea', { baseUrl: baseUrls.bea }),
  ...createTableFeeds(client, 'census', { baseUrl: baseUrls.census }),
  ...createTableFeeds(client, 'fhfa', { baseUrl: baseUrls.fhfa }),
];

/** All feeds, at a host whose only file is `file`, last modified on 26 August 2026. */
async function startFeeds(file: string | Buffer, location?: string) {
  const { client, options, requests } = await startAgency(() => file, {
    modified: MODIFIED,
    location,
  });
  const here = Object.fromEntries(Object.keys(agencies).map((name) => [name, options.baseUrl]));
  const feeds = openFeeds(client, { ...agencies, ...here });
  const fetch = (name: string, { today = '2026-09-28', stored = NOTHING } = {}) =>
    feeds.find((feed) => feed.name === name)?.fetch(stored, today, signal);
  return { client, feeds, fetch, requests };
}

async function fetchFile(name: string, file: string | Buffer) {
  return (await startFeeds(file)).fetch(name);
}

const BEA = '%SeriesCode,Period,Value';
const CENSUS = [
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
const HOUSES = 'DV_ENC,1991,3,99\nUSA,1991,3,99.9\nUSA,1991,4,100\n';
/** A series of the Federal Reserve Board, and one of its rows. */
const series = (attributes: string, ...rows: string[]) =>
  `<kf:Series ${attributes} ><a>text</a>${rows.join('\n')}</kf:Series>`;
const row = (day: string, value: string, status = 'A') =>
  `<frb:Obs OBS_VALUE="${value}" TIME_PERIOD="${day}" OBS_STATUS="${status}" />`;
const archive = (text: string) => makeZip({ 'X_struct.xml': '<x/>', 'X_data.xml': text });
const m2 = (...rows: string[]) => archive(series('SERIES_NAME="M2.M"', ...rows));

describe('an agency file', () => {
  it('that cannot be written fails with advice to free up space or set TMPDIR', async () => {
    vi.stubEnv('TMPDIR', join(import.meta.dirname, 'no such directory'));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(fetchFile('fhfa', '')).rejects.toMatchObject({
      name: 'RejectedRequestError',
      message: expect.stringMatching(/\(ENOENT\): free up space .* TMPDIR/),
    });
  });

  it('may be redirected only to hosts of its own domain', async () => {
    const urls: string[] = [];
    const client: HttpClient = {
      ...(await startFeeds('')).client,
      async download(url, _, { redirectDomains }) {
        urls.push(url);
        expect(redirectDomains).toHaveLength(1);
        expect(new URL(url).hostname, url).toMatch(new RegExp(`\\.${redirectDomains?.[0]}$`));
        return { bytes: null, etag: null, lastModified: null };
      },
    };
    const feeds = openFeeds(client, agencies);
    for (const feed of feeds) await feed.fetch(NOTHING, '2026-09-28', signal);
    expect(urls).toHaveLength(feeds.length);
  });

  it('is not fetched from a host that is not allowed', async () => {
    const elsewhere = await startAgency(() => 'secrets');
    const { feeds } = await startFeeds('', `${elsewhere.options.baseUrl}/x`);
    for (const feed of feeds) {
      await expect(feed.fetch(NOTHING, '2026-09-28', signal), feed.name).rejects.toMatchObject({
        fault: 'redirect',
      });
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it('is not downloaded again while it is unchanged', async () => {
    const { fetch, requests } = await startFeeds(`${BEA}\nA191RL,2025,"2.1"\n`);
    const versions = new Map<string, Validators>();
    const stored = {
      ...NOTHING,
      versionOf: (url: string) => versions.get(url),
      keepVersion: (url: string, version: Validators) => versions.set(url, version),
    };
    expect(listed(await fetch('bea_annual', { stored }))).toEqual({
      A191RL1A225NBEA: ['2025-01-01 2.1 2026-08-26'],
    });
    expect(await fetch('bea_annual', { stored })).toBeNull();
    expect(requests).toMatchObject(Array(2).fill({ path: '/national/Release/TXT/NipaDataA.txt' }));
  });

  it.each([
    ['bea_monthly', 'has another header', 'Code,Period,Value\nDPCERG,2026M07,131.659'],
    ['bea_monthly', 'has no readable value', `${BEA}\nDPCERG,2026M07,"(NA)"`],
    ['census_sales', 'is unadjusted', CENSUS.join('\n').replace('Seasonally', 'Not Seasonally')],
    ['census_sales', 'is a web page', '<html></html>'],
    ['census_sales', 'has no readable month', CENSUS.slice(0, -3).join('\n')],
    ['fhfa', 'is a web page', '<html></html>'],
    ['fhfa', 'has a fifth quarter', 'USA,2026,5,719.87'],
    ['fhfa', 'lacks national figures', 'DV_ENC,2026,1,300'],
    ['h6', 'is a web page', '<html></html>'],
    ['h6', 'lacks the figures', makeZip({ 'X_struct.xml': '<x/>' })],
    ['h6', 'has no readable value', m2(row('2026-06-30', 'x'))],
  ])('for the release %s is rejected if it %s', async (name, _, file) => {
    await expect(fetchFile(name, file)).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });
});

describe('the units in a file', () => {
  const sales = (units: string) => CENSUS.join('\n').replace('Millions of Dollars', units);
  const production = (unit: string) =>
    archive(series(`${unit} SERIES_NAME="IP.B50001.S"`, row('2026-06-30', '102.5')));

  it.each([
    ['census_sales', 'the heading says [Thousands]', 'Thousands', sales('Thousands')],
    ['census_sales', 'the heading says [Millions]', 'Millions of Dollars', sales('Millions')],
    ['g17', 'UNIT is Index:_2022_100', 'Index 2022=100', production('UNIT="Index:_2022_100"')],
    ['g17', 'UNIT is Index', 'Index', production('UNIT="Index"')],
    ['g17', 'UNIT is missing', '', production('')],
    ['fhfa', 'the index is 100 in the last quarter of 1991', 'Index 1991:Q4=100', HOUSES],
  ])('for the release %s, in which %s, are read as "%s"', async (name, _, units, file) => {
    expect(await fetchFile(name, file)).toMatchObject([{ units }]);
  });
});

describe('a BEA file', () => {
  it('contains several series, and its date is the release day of their newest figures', async () => {
    const rows =
      'A001RC,2026M07,"(NA)"\nDPCERX,2026M07,"16,734,549"\nDPCERX,2026M06,"16,700,049"\nDPCERG,2026M07,131.659\n';
    expect(listed(await fetchFile('bea_monthly', `${BEA}\n${rows}`))).toEqual({
      PCEPI: ['2026-07-01 131.659 2026-08-26'],
      PCEC96: ['2026-06-01 16700', '2026-07-01 16734.5 2026-08-26'],
    });
  });

  it.each([
    ['a value that is not a number', 'DPCERG,2026M06,"(NA)"'],
    ['a month that does not exist', 'DPCERG,2026M13,131.2'],
    ['a value with commas and no quotes', 'DPCERG,2026M06,23,612,345'],
    ['a row with an extra empty cell', 'DPCERG,,2026M06,131.2'],
    ['a value with a stray quote', 'DPCERG,2026M06,"131.2'],
  ])('is read in full except for %s', async (_, odd) => {
    const file = `${BEA}\r\nDPCERG,2026M05,131.1\r\n${odd}\r\nDPCERG,2026M07,"131.659"\r\n`;
    expect(listed(await fetchFile('bea_monthly', file))).toEqual({
      PCEPI: ['2026-05-01 131.1', '2026-07-01 131.659 2026-08-26'],
    });
  });
});

describe('a Census Bureau file', () => {
  it('is requested for adjusted figures only, and read up to its newest figure', async () => {
    const { fetch, requests } = await startFeeds(CENSUS.join('\n'));
    expect(listed(await fetch('census_sales'))).toEqual({
      RSAFS: ['2026-07-01 729538', '2026-08-01 737763'],
    });
    const query = new URL(requests[0]?.path ?? '', 'http://x').searchParams;
    expect(query.has('notAdjusted')).toBe(false);
    expect(Object.fromEntries(query)).toMatchObject({
      program: 'MARTS',
      'categories[]': '44X72',
      dataType: 'SM',
      adjusted: '1',
      startYear: '1992',
      endYear: '2026',
      format: 'csv',
      geoLevel: 'US',
    });
  });

  it.each([
    ['2027-01-15', '2026'],
    ['2027-02-01', '2027'],
  ])('on %s is requested up to %s, the year of the newest possible month', async (today, year) => {
    const { fetch, requests } = await startFeeds(CENSUS.join('\n'));
    await fetch('census_sales', { today });
    const { path = '' } = requests[0] ?? {};
    expect(new URL(path, 'http://x').searchParams.get('endYear')).toBe(year);
  });
});

describe('an FHFA file', () => {
  it('yields the national index, but not those of census divisions', async () => {
    const sent = await fetchFile('fhfa', HOUSES);
    expect(listed(sent)).toEqual({ USSTHPI: ['1991-07-01 99.9', '1991-10-01 100'] });
  });

  it.each(['USA,2026,5,719.87', 'USA,2026,1,-', 'USA,,2026,1,5', 'USA,2026,1,0'])(
    'is read in full except for the unreadable row %s',
    async (odd) => {
      const file = `"USA","2025","4","714.1"\r\n${odd}\r\nUSA,2026,2,719.87\r\n`;
      expect(listed(await fetchFile('fhfa', file))).toEqual({
        USSTHPI: ['2025-10-01 714.1', '2026-04-01 719.87'],
      });
    },
  );
});

describe('a Federal Reserve Board archive', () => {
  it('dates a period by its last day, which is converted to its first, as at FRED', async () => {
    const { fetch, requests } = await startFeeds(
      m2(row('2026-06-30', '22800.5'), row('2026-07-31', '22900.1')),
    );
    expect(listed(await fetch('h6'))).toEqual({
      M2SL: ['2026-06-01 22800.5', '2026-07-01 22900.1 2026-08-26'],
    });
    expect(requests).toMatchObject([{ path: '/releases/h6/data/FRB_H6_xml.zip' }]);
  });

  it('identifies a quarterly series by its attributes', async () => {
    const card = 'CHGDEL="DEL" SIZE="ALL" SA="SA" COMPONENT="RATIO" LOANTYPE="CONCC"';
    const rates = series(card, row('2026-06-30', '2.85'));
    const other = series(card.replace('"SA"', '"NSA"'), row('2026-06-30', '9.99'));
    const sent = await fetchFile('chargeoff', archive(`${other}${rates}${other}`));
    expect(listed(sent)).toEqual({ DRCCLACBS: ['2026-04-01 2.85 2026-08-26'] });
  });

  it('yields null for a holiday, but nothing for days before or after the figures', async () => {
    const euro = series(
      'SERIES_NAME="RXI$US_N.B.EU"',
      row('1999-01-01', '-9999', 'ND'),
      row('2026-09-04', '1.14'),
      row('2026-09-07', '-9999', 'ND'),
      row('2026-09-08', '1.15'),
      row('2026-09-09', '-9999', 'ND'),
    );
    expect(listed(await fetchFile('h10', archive(euro)))).toEqual({
      DEXUSEU: ['2026-09-04 1.14', '2026-09-07 null', '2026-09-08 1.15'],
    });
  });

  it.each([
    ['a value that is not a number', row('2026-06-30', 'x')],
    ['a day that does not exist', row('2026-06-31', '22800.5')],
    ['an observation without attributes', '<frb:Obs />'],
  ])('is read in full except for %s', async (_, odd) => {
    // The order of attributes and line ends between them are the exporter's choice.
    const last = '<Obs\n TIME_PERIOD="2026-07-31" OBS_STATUS="A"\n OBS_VALUE="22900.1"/>';
    expect(listed(await fetchFile('h6', m2(row('2026-05-31', '2.27e4'), odd, last)))).toEqual({
      M2SL: ['2026-05-01 22700', '2026-07-01 22900.1 2026-08-26'],
    });
  });
});

describeShared('recorded files', 'data/macro/agencies', (directory) => {
  it.each([
    ['bea_monthly', 'bea/NipaDataM_2026-08-26_trim.txt', -1, '2026-07-01 131.659 2026-08-26'],
    ['bea_quarterly', 'bea/NipaDataQ_2026-08-26_trim.txt', -1, '2026-04-01 24269.613 2026-08-26'],
    ['g19', 'fed-board/FRB_G19_2016.zip', -1, '2015-08-01 3469731.03 2026-08-26'],
    ['g19', 'fed-board/FRB_G19_2016.zip', -872, '1943-01-01 6577.83'],
    ['census_sales', 'census/export_MARTS_44X72_SM_2026-09-28_trim.csv', -1, '2026-08-01 737763'],
  ])(
    'for the release %s (%s) yield, at position %i, the figure %s',
    async (name, file, at, line) => {
      const sent = await fetchFile(name, readFileSync(join(directory, file)));
      expect(Object.values(listed(sent)).map((lines) => lines.at(at))).toContain(line);
    },
  );
});
