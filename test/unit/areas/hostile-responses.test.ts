import { describe, expect, it } from 'vitest';
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

// Each of these, under a megabyte, once took seconds to minutes or raised an unexpected error.

/** A client that gets `body` in response to everything. */
function answering(body: string) {
  const response = { status: 200, contentType: '', location: undefined, body: Buffer.from(body) };
  const read = async <T>(_: string, request: { read(sent: typeof response): T | Promise<T> }) =>
    request.read(response);
  return { get: read };
}
const options = { baseUrl: 'http://127.0.0.1:9' };
const bad = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`;

describe('JSON', () => {
  it('from FRED is rejected for an endless number or a list of invalid items', async () => {
    const fred = (body: string) =>
      createFredSource(answering(body), { ...options, apiKey: TEST_KEY });
    const list = (rows: string) =>
      fred(`{"count":1,"offset":0,"observations":${rows}}`).listObservations('X', {
        rtStart: FIRST_DAY,
      });
    const row = {
      realtime_start: '2026-01-01',
      realtime_end: '9999-12-31',
      date: '2026-01-01',
      value: `${'9'.repeat(900_000)}x`,
    };
    await expect(list(JSON.stringify([row]))).rejects.toThrow('not a number');
    await expect(list(bad('{}', 300_000))).rejects.toThrow('unexpected shape');
    await expect(list(bad('{}', 3))).rejects.toThrow('unexpected shape');
  });

  it('from the BLS is rejected for a list of invalid items', async () => {
    const body = `{"status":"REQUEST_SUCCEEDED","Results":{"series":${bad('{}', 300_000)}}}`;
    const told = createBlsFeed(answering(body), options).fetch(NOTHING, '2026-11-20', signal);
    await expect(told).rejects.toThrow('unexpected shape');
  });

  it('from Polymarket is rejected for too many events on a page or too many markets in an event', async () => {
    const source = (body: string) => connect(answering(body), options);
    const [list] = source(`{"events":${bad('"a"', 200_000)}}`).lists([], new Date(0));
    const pages = list?.pages(undefined)[Symbol.asyncIterator]();
    await expect(pages?.next()).rejects.toThrow('unexpected shape');
    const markets = Array.from({ length: 20_000 }, (_, index) => ({ id: index + 1, slug: 'a' }));
    const event = source(JSON.stringify(makeWireEvent({ id: 7, markets }))).getEvent('7');
    await expect(event).rejects.toThrow('unexpected shape');
    const tags = Array.from({ length: 50_000 }, () => ({ slug: 'a' }));
    const tagged = source(JSON.stringify(makeWireEvent({ id: 7, tags }))).getEvent('7');
    await expect(tagged).rejects.toThrow('unexpected shape');
  });
});

describe('XML of arXiv', () => {
  const page = (text: string) =>
    Buffer.from(
      `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-20T00:00:00Z</responseDate>${text}</OAI-PMH>`,
    );

  it.each([
    ['elements', '<a/>'.repeat(200_000)],
    ['attributes', `<a${Array.from({ length: 90_000 }, (_, n) => ` a${n}="1"`).join('')}/>`],
    ['entities', '&x;'.repeat(300_000)],
    ['broken records', '<record><a></record>'.repeat(40_000)],
    ['ends of records', '</record>'.repeat(20_000)],
    ['broken records of many entities', `<record>${'&'.repeat(9_000)}</record>`.repeat(100)],
  ])('more %s than any page has make a response invalid', async (_, text) => {
    expect(() => parseRecordPage(page(text))).toThrow(InvalidResponseError);
  });
});

describe('an archive of the Federal Reserve Board', () => {
  const SERIES = '<Series SERIES_NAME="RXI$US_N.B.EU">';
  const OBSERVATION = '<Obs OBS_VALUE="1.2" TIME_PERIOD="2026-09-01"/></Series>';

  async function read(archive: Buffer) {
    const { writeFile } = await import('node:fs/promises');
    const download = async (_: string, path: string) => {
      await writeFile(path, archive);
      return { bytes: archive.length, etag: null, lastModified: null };
    };
    const [feed] = createFedBoardFeeds({ download }, options);
    return feed?.fetch(NOTHING, '2026-11-20', signal);
  }
  const zip = (xml: string) => makeZip({ 'H10_data.xml': xml });

  it('is read when it is sound', async () => {
    const told = await read(zip(SERIES + OBSERVATION));
    expect(told).toMatchObject([
      { seriesId: 'DEXUSEU', figures: [{ date: '2026-09-01', value: 1.2 }] },
    ]);
  });

  it('is rejected if it unpacks to an endless tag or name', async () => {
    await expect(read(zip(`${SERIES}${'<Obs '.repeat(2_000_000)}`))).rejects.toThrow('endless tag');
    const long = `<Series ${'a'.repeat(90_000)}>${SERIES}${OBSERVATION}`;
    await expect(read(zip(long))).resolves.toHaveLength(1);
  });

  it('is an invalid response if its data are damaged or missing, or its directory lies beyond its end', async () => {
    const sound = zip(SERIES + OBSERVATION.repeat(100));
    const damaged = Buffer.from(sound);
    damaged.fill(0xff, 50, 80);
    const directory = sound.indexOf('PK\u0001\u0002');
    const empty = Buffer.from(sound);
    empty.writeUInt32LE(0, directory + 20);
    const beyond = Buffer.from(sound);
    beyond.writeUInt32LE(0xfffffff0, sound.length - 6);
    for (const archive of [damaged, empty, beyond]) {
      await expect(read(archive)).rejects.toThrow(InvalidResponseError);
    }
  });
});

it('the real client reports a damaged archive as such', async () => {
  const { client, options: sent } = await startAgency(() => Buffer.from('PK and nothing else'));
  const [feed] = createFedBoardFeeds(client, sent);
  await expect(feed?.fetch(NOTHING, '2026-11-20', signal)).rejects.toThrow(InvalidResponseError);
});
