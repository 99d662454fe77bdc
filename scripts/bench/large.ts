import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { migrations } from '../../src/app/store.ts';
import { gammaEvent } from '../../src/areas/markets/sources/polymarket-event.ts';
import { sourceIdOf } from '../../src/areas/papers/arxiv/ids.ts';
import { storePath } from '../../src/config.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';
import { makeWireEvent } from '../../test/stand-ins/polymarket.ts';
import { insertEvents } from '../starter/events.ts';
import { insertPapers, type Paper } from '../starter/insert-papers.ts';
import { paperTexts, readStarterPapers } from '../starter/papers.ts';
import { readStarterVectors } from '../starter/vectors.ts';
import { figure, type Section } from './figures.ts';
import { withHome, withServer } from './server.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  search: { below: 30, of: 'p50' },
  events: { below: 30, of: 'p50' },
  browse: { below: 5, of: 'p50' },
  memory: { below: 300, of: 'p95' },
} as const;
const STARTER = fileURLToPath(new URL('../../data/starter', import.meta.url));
const BUNDLED = fileURLToPath(new URL('../../dist/starter.sqlite', import.meta.url));
const AT = new Date('2026-05-01T00:00:00Z');
/** Rows per transaction. */
const BATCH = 1_000;
/** Sentences per paper. */
const SENTENCES = 8;

/** Sentences and vectors of the bundled papers, used to build larger shelves. */
interface Material {
  sentences: readonly string[];
  vectors: readonly Float32Array[];
}

/**
 * Searches over stdio on a shelf of synthetic papers and events, each with a new query. Words and vectors are
 * mixed from the bundled papers', so that word frequencies and cosines are like those of real texts.
 */
export function measureLarge(
  { papers, events, queries }: { papers: number; events: number; queries: number },
  modelDir: string,
): Promise<Section> {
  const material = readMaterial();
  return withHome(async (home) => {
    fill(storePath(home), papers, events, material);
    return withServer(home, modelDir, async (server) => {
      await server.initialize();
      const time = async (name: string, inputOf: (text: string, at: number) => object) => {
        const spent: number[] = [];
        // The first call loads the model and reads the index.
        for (let at = -1; at < queries; at += 1) {
          const words = pick(material.sentences, at * 7_919 + 1).split(' ');
          const text = words.slice(0, 5 + (at % 7)).join(' ');
          const milliseconds = await server.call(name, inputOf(text, at));
          if (at >= 0) spent.push(milliseconds);
        }
        return spent;
      };
      const search = await time('paper_search', (query, at) => ({ query: `${query} ${at}` }));
      const eventSearch = await time('prediction_market_event_search', (query, at) => ({
        query: `${query} ${at}`,
      }));
      const browse = await time('prediction_market_event_browse', () => ({ limit: 5 }));
      return {
        title: `Shelf of ${papers.toLocaleString('en-US')} papers and ${events.toLocaleString('en-US')} events, with the model`,
        figures: [
          figure('paper_search, a new query', 'ms', search, TARGET.search),
          figure('prediction_market_event_search, a new query', 'ms', eventSearch, TARGET.events),
          figure('prediction_market_event_browse, 5 events', 'ms', browse, TARGET.browse),
          figure('resident memory after these', 'MB', [server.residentMb()], TARGET.memory),
        ],
      };
    });
  });
}

function readMaterial(): Material {
  const texts = readStarterPapers(`${STARTER}/papers`).flatMap(paperTexts);
  const { entries } = readStarterVectors(`${STARTER}/vectors.txt`);
  return {
    sentences: texts.flatMap(({ text }) => text.split(/(?<=[.!?])\s+/)),
    vectors: texts.flatMap(({ key }) => entries.get(key)?.vector ?? []),
  };
}

function fill(path: string, papers: number, events: number, material: Material): void {
  // A store without the bundled figures would receive them during the measurement.
  copyFileSync(BUNDLED, path);
  const db = openForWriting(path);
  // The store is deleted after the run.
  db.pragma('synchronous = OFF');
  migrate(db, migrations, AT);
  for (let start = 0; start < papers; start += BATCH) {
    const count = Math.min(BATCH, papers - start);
    insertPapers(
      db,
      Array.from({ length: count }, (_, at) => makePaper(start + at, material)),
    );
  }
  for (let start = 0; start < events; start += BATCH) {
    const count = Math.min(BATCH, events - start);
    const deliveries = Array.from({ length: count }, (_, at) => makeEvent(start + at, material));
    insertEvents(db, deliveries);
  }
  db.close();
}

function makePaper(index: number, material: Material): Paper {
  const draw = (at: number) => pick(material.sentences, index * 31 + at * 7_919);
  const abstract = Array.from({ length: SENTENCES }, (_, at) => draw(at)).join(' ');
  const vectors = Array.from({ length: SENTENCES }, (_, at) => mix(index + at, material));
  return {
    sourceId: sourceIdOf(`2412.${String(index + 1).padStart(5, '0')}`),
    version: 1,
    title: draw(SENTENCES).split(' ').slice(0, 10).join(' '),
    authors: [`Ngozi ${pick(material.sentences, index).split(' ')[0]}`, 'Åsa M. Lindqvist'],
    abstract,
    summary: '',
    tags: [],
    categories: ['q-fin.TR'],
    published: '2026-05-01',
    licenseUrl: null,
    pdfUrl: 'https://arxiv.org/pdf/2605.00001',
    origin: 'arxiv',
    asOf: AT.toISOString(),
    sections: [
      { key: 'abstract', type: 'abstract', title: 'Abstract', content: abstract, vectors },
    ],
    vector: mix(index, material),
  };
}

function makeEvent(index: number, material: Material) {
  const words = pick(material.sentences, index * 31)
    .split(' ')
    .slice(0, 8)
    .join(' ');
  const wire = makeWireEvent({
    id: index + 1,
    title: `Will ${words} in week ${index}?`,
    prices: [0.1, 0.2, 0.3, 0.4, 0.5],
    liquidity: (index * 7_919) % 100_000,
  });
  const vector = mix(index, material);
  return {
    event: gammaEvent.parse(wire),
    seenAt: AT.toISOString(),
    origin: 'live',
    vector,
  } as const;
}

/** A unit vector between two real vectors, with noise. */
function mix(seed: number, { vectors }: Material): Float32Array {
  const [a, b] = [pick(vectors, seed), pick(vectors, seed * 7 + 3)];
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  const mixed = a.map((value, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0.6 * value + 0.4 * (b[at] ?? 0) + (state / 2 ** 32 - 0.5) * 0.06;
  });
  const length = Math.hypot(...mixed);
  return mixed.map((value) => value / length);
}

function pick<T>(items: readonly T[], seed: number): T {
  const item = items[Math.abs(seed) % items.length];
  if (item === undefined) throw new Error('the bundled shelf has no texts');
  return item;
}
