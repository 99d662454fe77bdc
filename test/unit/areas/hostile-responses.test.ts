import { expect, it } from 'vitest';
import { createBlsFeed } from '../../../src/areas/macro/sources/bls.ts';
import { createFedBoardFeeds } from '../../../src/areas/macro/sources/fed-board.ts';
import { createFredSource, FIRST_DAY } from '../../../src/areas/macro/sources/fred.ts';
import { connect } from '../../../src/areas/markets/sources/polymarket.ts';
import { parseRecordPage } from '../../../src/areas/papers/arxiv/oai.ts';
import { InvalidResponseError } from '../../../src/upstream/failures.ts';
import { TEST_KEY } from '../../stand-ins/fred.ts';
import { makeWireEvent } from '../../stand-ins/polymarket.ts';
import { makeZip } from '../../stand-ins/zip.ts';
import { NOTHING, signal, startAgency } from './macro/sources/start-agency.ts';

// Each of these responses is under a megabyte, but parsed naively takes seconds to minutes or raises
// an unexpected error.

/** A client that receives `body` in response to every request. */
function answering(body: string) {
  const response = { status: 200, contentType: '', location: undefined, body: Buffer.from(body) };
  const read = async <T>(_: string, request: { read(sent: typeof response): T | Promise<T> }) =>
    request.read(response);
  return { get: read };
}
const options = { baseUrl: 'http://127.0.0.1:9' };
const bad = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`;

it('a FRED response with a very long invalid number, or many invalid items, is rejected', async () => {
  const list = (rows: string) =>
    createFredSource(answering(`{"count":1,"offset":0,"observations":${rows}}`), {
      ...options,
      apiKey: TEST_KEY,
    }).listObservations('X', { rtStart: FIRST_DAY });
  const dates = { realtime_start: '2026-01-01', realtime_end: '9999-12-31', date: '2026-01-01' };
  const row = { ...dates, value: `${'9'.repeat(900_000)}x` };
  await expect(list(JSON.stringify([row]))).rejects.toThrow('not a number');
  await expect(list(bad('{}', 300_000))).rejects.toThrow('unexpected shape');
});

it('a BLS response with many invalid items is rejected', async () => {
  const body = `{"status":"REQUEST_SUCCEEDED","Results":{"series":${bad('{}', 300_000)}}}`;
  const fetched = createBlsFeed(answering(body), options).fetch(NOTHING, '2026-11-20', signal);
  await expect(fetched).rejects.toThrow('unexpected shape');
});

it('a Polymarket response with too many events, or an event with too many markets or tags, is rejected', async () => {
  const source = (body: string) => connect(answering(body), options);
  const [list] = source(`{"events":${bad('"a"', 200_000)}}`).lists([], new Date(0));
  const pages = list?.pages(undefined)[Symbol.asyncIterator]();
  await expect(pages?.next()).rejects.toThrow('unexpected shape');
  const markets = Array.from({ length: 20_000 }, (_, index) => ({ id: index + 1, slug: 'a' }));
  const tags = Array.from({ length: 50_000 }, () => ({ slug: 'a' }));
  for (const more of [{ markets }, { tags }]) {
    const event = source(JSON.stringify(makeWireEvent({ id: 7, ...more }))).getEvent('7');
    await expect(event).rejects.toThrow('unexpected shape');
  }
});

it.each([
  ['elements', '<a/>'.repeat(200_000)],
  ['attributes', `<a${Array.from({ length: 90_000 }, (_, n) => ` a${n}="1"`).join('')}/>`],
  ['entities', '&x;'.repeat(300_000)],
  ['broken records', '<record><a></record>'.repeat(40_000)],
  ['closing record tags', '</record>'.repeat(20_000)],
  ['entities in broken records', `<record>${'&'.repeat(9_000)}</record>`.repeat(100)],
])('an arXiv response with more %s than any real page is rejected', (_, text) => {
  const date = '<responseDate>2026-11-20T00:00:00Z</responseDate>';
  const page = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">${date}${text}</OAI-PMH>`;
  expect(() => parseRecordPage(Buffer.from(page))).toThrow(InvalidResponseError);
});

const SERIES = '<Series SERIES_NAME="RXI$US_N.B.EU">';
const OBSERVATION = '<Obs OBS_VALUE="1.2" TIME_PERIOD="2026-09-01"/></Series>';
const zip = (xml: string) => makeZip({ 'H10_data.xml': xml });

async function readArchive(archive: Buffer) {
  const { client, options: there } = await startAgency(() => archive);
  const [feed] = createFedBoardFeeds(client, there);
  return feed?.fetch(NOTHING, '2026-11-20', signal);
}

it('a Federal Reserve Board archive is read despite a very long name, but rejected for an endless tag', async () => {
  const long = `<Series ${'a'.repeat(90_000)}>${SERIES}${OBSERVATION}`;
  const figures = [{ date: '2026-09-01', value: 1.2 }];
  expect(await readArchive(zip(long))).toMatchObject([{ seriesId: 'DEXUSEU', figures }]);
  const endless = zip(`${SERIES}${'<Obs '.repeat(2_000_000)}`);
  await expect(readArchive(endless)).rejects.toThrow('endless XML tag');
});

it('a Federal Reserve Board archive that is damaged, is empty or points beyond its end is rejected', async () => {
  const sound = zip(SERIES + OBSERVATION.repeat(100));
  const damaged = Buffer.from(sound);
  damaged.fill(0xff, 50, 80);
  const empty = Buffer.from(sound);
  empty.writeUInt32LE(0, sound.indexOf('PK\u0001\u0002') + 20);
  const beyond = Buffer.from(sound);
  beyond.writeUInt32LE(0xfffffff0, sound.length - 6);
  for (const archive of [damaged, empty, beyond, Buffer.from('PK and nothing else')]) {
    await expect(readArchive(archive)).rejects.toThrow(InvalidResponseError);
  }
});
