import type { IncomingHttpHeaders } from 'node:http';
import type { Figures } from './agencies.ts';
import type { Answer } from './arxiv-faults.ts';

/** When every file was put there. */
export const MODIFIED = 'Wed, 26 Aug 2026 12:30:00 GMT';
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** BEA codes of a file, with what makes a value of them from one of FRED. */
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

/** What the BEA, the Census Bureau and the FHFA answer; null for another path. */
export function answerFile(
  { agency, path }: { agency: string; path: string },
  headers: IncomingHttpHeaders,
  figures: Figures,
): Answer | null {
  const text = textOf(agency, path, figures);
  if (text === null) return null;
  // Exports are made anew for each request.
  const version: Record<string, string> = agency === 'census' ? {} : { 'last-modified': MODIFIED };
  const isHeld = agency !== 'census' && headers['if-modified-since'] === MODIFIED;
  return isHeld
    ? { status: 304, type: 'text/plain', body: Buffer.alloc(0), headers: version }
    : { status: 200, type: 'text/plain', body: Buffer.from(text), headers: version };
}

function textOf(agency: string, path: string, figures: Figures): string | null {
  const url = new URL(path, 'http://127.0.0.1');
  if (agency === 'bea') return beaText(url.pathname, figures);
  if (agency === 'census') return censusText(url.searchParams, figures);
  return agency === 'fhfa' ? fhfaText(figures) : null;
}

function beaText(pathname: string, figures: Figures): string {
  const letter = /^\/national\/Release\/TXT\/NipaData([MQA])\.txt$/.exec(pathname)?.[1] ?? '';
  // The BEA answers so with status 200.
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
  return ['%SeriesCode,Period,Value', 'A001RC,2026M01,"(NA)"', ...lines].join('\r\n');
}

function periodOf(letter: string, date: string): string {
  const [year = '', month = ''] = date.split('-');
  if (letter === 'A') return year;
  return letter === 'M' ? `${year}M${month}` : `${year}Q${(Number(month) + 2) / 3}`;
}

/** With a box for unadjusted figures in the query, whatever is in it, those come. */
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
    `${isAdjusted ? 'Seasonally Adjusted' : 'Not Seasonally Adjusted'} Sales - Monthly [Millions of Dollars]`,
    `Period: ${query.get('startYear')} to ${query.get('endYear')}`,
    'Data Extracted on: September 28, 2026 (9:57 pm)',
    '',
    'Period,Value',
    ...rows.map(([period, value]) => `${period},${value ?? 'NA'}`),
    'Dec-2026,NA',
  ].join('\n');
}

function fhfaText(figures: Figures): string {
  const rows = [...(figures.get('USSTHPI') ?? [])].flatMap(([date, value]) => {
    const [year, quarter] = [date.slice(0, 4), (Number(date.slice(5, 7)) + 2) / 3];
    return [`DV_ENC,${year},${quarter},100.1`, `USA,${year},${quarter},${value?.toFixed(2)}`];
  });
  return rows.join('\n');
}
