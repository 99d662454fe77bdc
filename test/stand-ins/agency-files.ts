import type { IncomingHttpHeaders } from 'node:http';
import type { Figures } from './agencies.ts';
import type { StandInResponse } from './faults.ts';
import { makeZip } from './zip.ts';

/** Modification time of every file. */
const MODIFIED = 'Wed, 26 Aug 2026 12:30:00 GMT';
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The BEA's code for each series in a file, and the factor from FRED's unit to the BEA's. */
const BEA: Readonly<
  Record<string, readonly (readonly [id: string, code: string, factor: number])[]>
> = {
  M: [
    ['PCEPI', 'DPCERG', 1],
    ['PCEPILFE', 'DPCCRG', 1],
    ['PCEC96', 'DPCERX', 1000],
    ['PSAVERT', 'A072RC', 1],
  ],
  Q: [
    ['GDP', 'A191RC', 1000],
    ['GDPC1', 'A191RX', 1000],
    ['A191RL1Q225SBEA', 'A191RL', 1],
  ],
  A: [['A191RL1A225NBEA', 'A191RL', 1]],
};
const CENSUS: ReadonlyMap<string, string> = new Map([
  ['MARTS 44X72 SM', 'RSAFS'],
  ['RESCONST ASTARTS TOTAL', 'HOUST'],
  ['RESCONST APERMITS TOTAL', 'PERMIT'],
  ['RESSALES ASOLD TOTAL', 'HSN1F'],
]);

/** The Board's series by archive, with the attributes that identify them. */
const BOARD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  H10: {
    DEXUSEU: 'SERIES_NAME="RXI$US_N.B.EU"',
    DEXJPUS: 'SERIES_NAME="RXI_N.B.JA"',
    DTWEXBGS: 'SERIES_NAME="JRXWTFB_N.B"',
  },
  H41: { WALCL: 'SERIES_NAME="RESPPMA_N.WW"', WRESBAL: 'SERIES_NAME="RESH4R_XAW_N.WW"' },
  H6: { M2SL: 'SERIES_NAME="M2.M"' },
  G17: { INDPRO: 'SERIES_NAME="IP.B50001.S"' },
  G19: { TOTALSL: 'SERIES_NAME="DTCTL.M"' },
  CHGDEL: {
    DRCCLACBS: 'SIZE="ALL" SA="SA" LOANTYPE="CONCC" COMPONENT="RATIO" CHGDEL="DEL"',
  },
};
/** Archives whose series are dated by the last day of a period, with the length of that period in months. */
const PERIOD_MONTHS: Readonly<Record<string, number>> = { H6: 1, G17: 1, G19: 1, CHGDEL: 3 };

/** The response of the Board, the BEA, the Census Bureau or the FHFA; null for any other path. */
export function respondWithFile(
  agency: string,
  path: string,
  headers: IncomingHttpHeaders,
  figures: Figures,
): StandInResponse | null {
  const text = agency === 'fedboard' ? boardZip(path, figures) : textOf(agency, path, figures);
  if (text === null) return null;
  // The Census Bureau generates its exports for each request, so they have no modification time.
  const version: Record<string, string> = agency === 'census' ? {} : { 'last-modified': MODIFIED };
  const isUnchanged = agency !== 'census' && headers['if-modified-since'] === MODIFIED;
  return isUnchanged
    ? { status: 304, type: 'text/plain', body: Buffer.alloc(0), headers: version }
    : { status: 200, type: 'text/plain', body: Buffer.from(text), headers: version };
}

function textOf(agency: string, path: string, figures: Figures): string | null {
  const url = new URL(path, 'http://127.0.0.1');
  if (agency === 'bea') return beaText(url.pathname, figures);
  if (agency === 'census') return censusText(url.searchParams, figures);
  return agency === 'fhfa' ? fhfaText(figures) : null;
}

function boardZip(path: string, figures: Figures): Buffer {
  const name = /^releases\/\w+\/data\/FRB_(\w+)_xml\.zip$/.exec(path)?.[1] ?? '';
  const months = PERIOD_MONTHS[name];
  const series = Object.entries(BOARD[name] ?? {}).map(([id, attributes]) => {
    const rows = [...(figures.get(id) ?? [])].map(([date, value], index) => {
      const end = new Date(date);
      if (months !== undefined) end.setUTCMonth(end.getUTCMonth() + months, 0);
      const day = `TIME_PERIOD="${end.toISOString().slice(0, 10)}"`;
      if (value === null) return `<frb:Obs OBS_STATUS="ND" OBS_VALUE="-9999" ${day} />`;
      // The Board writes attributes in any order.
      return index % 2 === 0
        ? `<frb:Obs OBS_STATUS="A" OBS_VALUE="${value}" ${day} />`
        : `<frb:Obs ${day} OBS_VALUE="${value}" OBS_STATUS="A" />`;
    });
    const other =
      '<kf:Series SERIES_NAME="OTHER.M" SA="NSA"><frb:Obs OBS_STATUS="A" OBS_VALUE="1" TIME_PERIOD="2020-01-31" /></kf:Series>';
    const unit = id === 'INDPRO' ? 'Index:_2017_100' : 'Currency';
    return `<kf:Series FREQ="129" ${attributes} UNIT="${unit}" >${rows.join('\n')}</kf:Series>${other}`;
  });
  return makeZip({
    [`${name}_struct.xml`]: '<structure/>',
    [`${name}_data.xml`]: `<?xml version="1.0"?><message:MessageGroup>${series.join('')}</message:MessageGroup>`,
  });
}

function beaText(pathname: string, figures: Figures): string {
  const letter = /^\/national\/Release\/TXT\/NipaData([MQA])\.txt$/.exec(pathname)?.[1] ?? '';
  // The BEA sends this with status 200.
  if (letter === '') return '<html><body>Page not found</body></html>';
  const lines = (BEA[letter] ?? []).flatMap(([id, code, factor]) =>
    [...(figures.get(id) ?? [])].flatMap(([date, value]) =>
      value === null
        ? []
        : [
            `${code},${periodOf(letter, date)},"${(value * factor).toLocaleString('en-US', { maximumFractionDigits: 3 })}"`,
          ],
    ),
  );
  if (letter === 'Q') lines.push(...quarterlyPrices(figures));
  return ['%SeriesCode,Period,Value', 'A001RC,2026M01,"(NA)"', ...lines].join('\r\n');
}

/** The price index of consumption, whose base year is that of all real figures. */
function quarterlyPrices(figures: Figures): string[] {
  const quarters = new Map<string, number[]>();
  for (const [date, value] of figures.get('PCEPI') ?? []) {
    if (value === null) continue;
    const quarter = `${date.slice(0, 4)}Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
    quarters.set(quarter, [...(quarters.get(quarter) ?? []), value]);
  }
  return [...quarters].map(([quarter, values]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `DPCERG,${quarter},${mean.toFixed(3)}`;
  });
}

function periodOf(letter: string, date: string): string {
  const [year = '', month = ''] = date.split('-');
  if (letter === 'A') return year;
  return letter === 'M' ? `${year}M${month}` : `${year}Q${(Number(month) + 2) / 3}`;
}

/** Sends unadjusted figures if the query has the field for them, whatever its value, as the Bureau does. */
function censusText(query: URLSearchParams, figures: Figures): string {
  const key = ['program', 'categories[]', 'dataType'].map((name) => query.get(name)).join(' ');
  const isAdjusted = query.get('adjusted') === '1' && !query.has('notAdjusted');
  const held = figures.get(CENSUS.get(key) ?? '') ?? new Map();
  const rows = [...held]
    .filter(([date]) => date >= `${query.get('startYear')}-01-01`)
    .map(([date, value]) => [`${MONTHS[Number(date.slice(5, 7)) - 1]}-${date.slice(0, 4)}`, value]);
  return [
    'U.S. Census Bureau',
    'Source: A report',
    `${query.get('categories[]')}: Total`,
    `${isAdjusted ? 'Seasonally Adjusted' : 'Not Seasonally Adjusted'} Sales - Monthly [${unitOf(CENSUS.get(key), held)}]`,
    `Period: ${query.get('startYear')} to ${query.get('endYear')}`,
    'Data Extracted on: September 28, 2026 (9:57 pm)',
    '',
    'Period,Value',
    ...rows.map(([period, value]) => `${period},${value ?? 'NA'}`),
    'Dec-2026,NA',
  ].join('\n');
}

/** The unit in a file: for retail sales, billions or millions of dollars, by their size. */
function unitOf(id: string | undefined, figures: ReadonlyMap<string, number | null>): string {
  if (id !== 'RSAFS') return 'Thousands of Units';
  return [...figures.values()].some((value) => (value ?? 0) > 10_000)
    ? 'Millions of Dollars'
    : 'Billions of Dollars';
}

function fhfaText(figures: Figures): string {
  const rows = [...(figures.get('USSTHPI') ?? [])].flatMap(([date, value]) => {
    const [year, quarter] = [date.slice(0, 4), (Number(date.slice(5, 7)) + 2) / 3];
    return [`DV_ENC,${year},${quarter},100.1`, `USA,${year},${quarter},${value?.toFixed(2)}`];
  });
  return rows.join('\n');
}
