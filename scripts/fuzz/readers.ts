import { writeFile } from 'node:fs/promises';
import { migrations } from '../../src/app/migrations.ts';
import { createBlsFeed } from '../../src/areas/macro/agencies/bls.ts';
import { createFedBoardFeeds } from '../../src/areas/macro/agencies/fed-board.ts';
import type { Feed } from '../../src/areas/macro/agencies/feed.ts';
import { createNewYorkFedFeeds } from '../../src/areas/macro/agencies/new-york-fed.ts';
import {
  createBeaFeeds,
  createCensusFeeds,
  createFhfaFeed,
} from '../../src/areas/macro/agencies/text-files.ts';
import { createTreasuryFeeds } from '../../src/areas/macro/agencies/treasury.ts';
import { createFredSource, FIRST_DAY } from '../../src/areas/macro/fred.ts';
import { createPolymarketSource } from '../../src/areas/markets/source.ts';
import { storeSeenEvents } from '../../src/areas/markets/sync/ingest.ts';
import { openHtml, openPdf } from '../../src/areas/papers/arxiv/documents.ts';
import { isWithdrawn } from '../../src/areas/papers/arxiv/withdrawn.ts';
import { createParser } from '../../src/areas/papers/full-text/parser.ts';
import { createArxivSource } from '../../src/areas/papers/source.ts';
import { migrate } from '../../src/store/migrations.ts';
import { loadVectorExtension } from '../../src/store/search/vectors/extension.ts';
import { Database } from '../../src/store/sqlite.ts';
import { tooLarge } from '../../src/upstream/errors.ts';
import type { HttpClient, Reply } from '../../src/upstream/http.ts';
import { bundledFigures, startAgencies } from '../../test/stand-ins/agencies.ts';
import { startArxiv } from '../../test/stand-ins/arxiv.ts';
import { makePapers } from '../../test/stand-ins/arxiv-papers.ts';
import { makeSeries, startFred, TEST_KEY } from '../../test/stand-ins/fred.ts';
import { FredHistory } from '../../test/stand-ins/fred-history.ts';
import { makeWireEvent, startPolymarket } from '../../test/stand-ins/polymarket.ts';
import { makeZip } from '../../test/stand-ins/zip.ts';
import { type Format, MAX_BYTES } from './mutate.ts';
import { pages, pdfs, recorded, recordedEvents, recordedFeeds } from './seeds.ts';

/** One way in for what an upstream sends. */
export interface Reader {
  name: string;
  format: Format;
  seeds: Buffer[];
  statuses?: readonly number[];
  /** Beyond the usual limit, for what is compressed before it is sent. */
  maxBytes?: number;
  /** Applied to the input first; not measured. */
  pack?(input: Buffer): Buffer;
  /** Reads one answer as the product does; a string is a kind of failure that the product expects. */
  read(input: Buffer, status: number, signal: AbortSignal): Promise<unknown>;
}

type Client = Pick<HttpClient, 'get' | 'post' | 'download'>;
type Call = (client: Client, signal: AbortSignal) => Promise<unknown>;

const DAY = new Date('2026-11-20T12:00:00Z');
const TODAY = '2026-11-20';
const LONG_AGO = '2000-01-01';
const PARSER = new URL('../../dist/paper-parser.mjs', import.meta.url);
const NO_VERSION = { etag: null, lastModified: null };
/** Zipped, the input is far smaller. */
const UNZIPPED_BYTES = 24 * MAX_BYTES;

/** Every reader, with the answers of the stand-ins and the recorded ones as its seeds. */
export async function openReaders(): Promise<Reader[]> {
  const groups = [arxivReaders(), fredReaders(), eventReaders(), agencyReaders()];
  return [...(await Promise.all(groups)).flat(), ...documentReaders()];
}

async function arxivReaders(): Promise<Reader[]> {
  const papers = makePapers(30);
  const arxiv = await startArxiv({ records: papers, pageSize: 20 });
  const source = (client: Client) => createArxivSource(client, arxiv.bases, 0);
  const id = papers[0]?.id ?? '';
  try {
    return [
      await reader('arXiv OAI page', 'xml', async (client) => {
        const { records } = await source(client).listRecords({ set: 'q-fin' });
        for (const { metadata } of records) if (metadata !== null) isWithdrawn(metadata);
      }),
      await reader('arXiv OAI record', 'xml', (client) => source(client).getRecord(id)),
      await reader('arXiv Atom', 'xml', (client) => source(client).lookUp(id), {
        seeds: recordedFeeds(),
        statuses: [200, 200, 200, 400],
      }),
    ];
  } finally {
    await arxiv.close();
  }
}

async function fredReaders(): Promise<Reader[]> {
  const history = new FredHistory();
  for (let month = 1; month <= 9; month += 1) {
    const days = { [`2026-0${month}-01`]: month, '2026-01-01': 1 + month / 10 };
    history.publish(`2026-0${month}-20`, days);
  }
  const fred = await startFred([makeSeries({ history })]);
  const source = (client: Client) =>
    createFredSource(client, { baseUrl: fred.url, apiKey: TEST_KEY, paceMs: 0 });
  const statuses = [200, 200, 200, 400, 423];
  const seeds = (name: RegExp) => ({ seeds: recorded('macro/fred-api', name), statuses });
  try {
    return [
      await reader(
        'FRED series',
        'json',
        (client) => source(client).describeSeries('TEST'),
        seeds(/fred_series_200/),
      ),
      await reader(
        'FRED vintage dates',
        'json',
        (client) => source(client).listVintageDates('TEST'),
        seeds(/series_vintagedates/),
      ),
      await reader(
        'FRED observations',
        'json',
        (client) => source(client).listObservations('TEST', { rtStart: FIRST_DAY }),
        seeds(/series_observations/),
      ),
      await reader(
        'FRED updates',
        'json',
        (client) => source(client).listUpdates(new Date(LONG_AGO)),
        seeds(/series_updates/),
      ),
    ];
  } finally {
    await fred.close();
  }
}

async function eventReaders(): Promise<Reader[]> {
  const { pages, single, id } = recordedEvents();
  const event = makeWireEvent({ id: Number(id), tags: [{ id: '120', slug: 'finance' }] });
  const polymarket = await startPolymarket([event]);
  const source = (client: Client) =>
    createPolymarketSource(client, { baseUrl: polymarket.url, paceMs: 0 });
  const db = new Database(':memory:');
  loadVectorExtension(db);
  migrate(db, migrations, DAY);
  try {
    return [
      await reader(
        'Polymarket list, stored',
        'json',
        async (client) => {
          const { events } = await source(client).listEvents({ closed: false });
          await storeSeenEvents(db, events, DAY);
        },
        { seeds: pages, statuses: [200, 200, 200, 422] },
      ),
      await reader('Polymarket event', 'json', (client) => source(client).getEvent(id), {
        seeds: single,
      }),
      await reader('Polymarket tag', 'json', (client) => source(client).findTag('finance')),
    ];
  } finally {
    await polymarket.close();
  }
}

async function agencyReaders(): Promise<Reader[]> {
  const agencies = await startAgencies(bundledFigures());
  const at = (name: string) => ({ baseUrl: `${agencies.url}/${name}`, paceMs: 0, now: () => DAY });
  const held = {
    lastDate: () => '2026-10-15',
    since: () => new Map<string, number | null>(),
    versionOf: () => undefined,
    keepVersion: () => {},
  };
  const feeds = (client: Client): Feed[] => [
    createBlsFeed(client, at('bls')),
    ...createTreasuryFeeds(client, at('treasury')),
    ...createNewYorkFedFeeds(client, at('nyfed')),
    ...createFedBoardFeeds(client, at('fedboard')).slice(0, 1),
    ...createBeaFeeds(client, at('bea')),
    ...createCensusFeeds(client, at('census')).slice(0, 1),
    createFhfaFeed(client, at('fhfa')),
  ];
  const formats = { bls: 'json', new_york_fed: 'json', fed_board: 'zip' } as const;
  const more: Partial<Record<string, Buffer[]>> = {
    bls: recorded('macro/agencies/bls', /\.json$/),
    sofr: recorded('macro/agencies/nyfed', /sofr/),
    reverse_repo: recorded('macro/agencies/nyfed', /rp_/),
    treasury_nominal: recorded('macro/agencies/treasury', /\.csv$/),
    census_sales: recorded('macro/agencies/census', /\.csv$/),
    bea_monthly: recorded('macro/agencies/bea', /DataM/),
    h10: recorded('macro/agencies/fed-board', /\.zip$/),
  };
  const callOf =
    (name: string): Call =>
    async (client, signal) =>
      feeds(client)
        .find((feed) => feed.name === name)
        ?.fetch(held, TODAY, signal);
  try {
    const readers: Reader[] = [];
    for (const { name, agency } of feeds(answering(Buffer.alloc(0), 200))) {
      const format = agency in formats ? formats[agency as keyof typeof formats] : 'csv';
      const seeds = more[name] ?? [];
      readers.push(await reader(`agency ${name}`, format, callOf(name), { seeds }));
    }
    const series = '<kf:Series SERIES_NAME="RXI$US_N.B.EU">';
    const xml = `<?xml version="1.0"?><DataSet>${series}<frb:Obs OBS_STATUS="A" OBS_VALUE="1.2" TIME_PERIOD="2026-09-01"/></kf:Series></DataSet>`;
    readers.push({
      name: 'agency h10, its XML',
      format: 'xml',
      seeds: [Buffer.from(xml)],
      maxBytes: UNZIPPED_BYTES,
      pack: (input) => makeZip({ 'H10_data.xml': input.toString('latin1') }),
      read: (input, status, signal) => callOf('h10')(answering(input, status), signal),
    });
    return readers;
  } finally {
    await agencies.close();
  }
}

function documentReaders(): Reader[] {
  const parse = createParser(PARSER);
  const open = (name: string, format: Format, seeds: Buffer[]): Reader => ({
    ...{ name, format, seeds },
    async read(body, status, signal) {
      const reply = { status, contentType: '', location: undefined, body };
      const document = format === 'pdf' ? openPdf(reply) : openHtml(reply);
      const result = await parse(document, signal);
      return result.ok ? 'read' : result.reason;
    },
  });
  return [open('paper HTML', 'html', pages()), open('paper PDF', 'pdf', pdfs())];
}

/** A reader whose own seeds are what the stand-in answers to it. */
async function reader(
  name: string,
  format: Format,
  call: Call,
  more: { seeds?: Buffer[]; statuses?: readonly number[] } = {},
): Promise<Reader> {
  const seeds: Buffer[] = [];
  await call(recording(seeds), new AbortController().signal);
  return {
    ...{ name, format, seeds: [...seeds, ...(more.seeds ?? [])], statuses: more.statuses ?? [200] },
    read: (input, status, signal) => call(answering(input, status), signal),
  };
}

/** A client that asks a stand-in and keeps its answers. */
function recording(seeds: Buffer[]): Client {
  const ask = async (url: string, request?: { json: unknown }): Promise<Reply> => {
    const init =
      request === undefined ? {} : { method: 'POST', body: JSON.stringify(request.json) };
    const response = await fetch(url, init);
    const body = Buffer.from(await response.arrayBuffer());
    seeds.push(body);
    return { status: response.status, contentType: '', location: undefined, body };
  };
  return {
    get: async (url, { read }) => read(await ask(url)),
    post: async (url, { read, json }) => read(await ask(url, { json })),
    async download(url, path) {
      const { body } = await ask(url);
      await writeFile(path, body);
      return { bytes: body.length, ...NO_VERSION };
    },
  };
}

/** A client that gets the same answer to everything. */
function answering(body: Buffer, status: number): Client {
  const reply = { status, contentType: '', location: undefined, body };
  const expectSize = (maxBytes: number) => {
    if (body.length > maxBytes) throw tooLarge('the upstream');
  };
  return {
    async get(_, { read, maxBytes }) {
      expectSize(maxBytes);
      return read(reply);
    },
    async post(_, { read, maxBytes }) {
      expectSize(maxBytes);
      return read(reply);
    },
    async download(_, path, { maxBytes }) {
      expectSize(maxBytes);
      await writeFile(path, body);
      return { bytes: body.length, ...NO_VERSION };
    },
  };
}
