import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { parseGammaEvent } from '../../src/areas/markets/source.ts';
import { makeHtmlPage, makePdf } from '../../test/stand-ins/arxiv-pages.ts';
import { MAX_BYTES } from './mutate.ts';

const DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));
/** Room for what a mutation adds. */
const MAX_SEED = MAX_BYTES / 2;

/** Recorded answers below a folder whose names fit; none where the recordings are not at hand. */
export function recorded(folder: string, name: RegExp): Buffer[] {
  const path = join(DATA, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .sort()
    .map((file) => readFileSync(join(path, file)))
    .filter(({ length }) => length <= MAX_SEED);
}

const exchange = z.object({ body: z.string() });

/** Bodies of recorded exchanges with the query API. */
export function recordedFeeds(): Buffer[] {
  return recorded('papers/arxiv-api', /\.json$/).map((file) =>
    Buffer.from(exchange.parse(JSON.parse(file.toString('utf8'))).body),
  );
}

/** Pages of a few recorded events each: whole recordings are longer than an input may be. */
export function recordedEvents(): { pages: Buffer[]; single: Buffer[]; id: string } {
  const path = join(DATA, 'markets', 'gamma-events-100-a.json');
  if (!existsSync(path)) return { pages: [], single: [], id: '1' };
  const events = z.array(z.unknown()).parse(JSON.parse(readFileSync(path, 'utf8')));
  const small = events.filter((event) => JSON.stringify(event).length < 20_000).slice(0, 20);
  const pages = [small.slice(0, 3), small].map((page) =>
    Buffer.from(JSON.stringify({ events: page, next_cursor: 'next' })),
  );
  const [first] = small;
  return { pages, single: [Buffer.from(JSON.stringify(first))], id: parseGammaEvent(first).id };
}

const SENTENCES = 'Spreads widen when inventories grow and dealers are few. '.repeat(30);

export function pages(): Buffer[] {
  const page = makeHtmlPage({
    title: 'Dealers',
    abstract: 'What dealers do.',
    sections: [{ title: 'Introduction', text: SENTENCES, formula: String.raw`c = \lambda q^2` }],
    references: ['A. Nobody. A book that was never written. 1999.'],
  });
  return [Buffer.from(page), ...recorded('papers/html', /\.html$/)];
}

export function pdfs(): Buffer[] {
  const made = makePdf(SENTENCES.split('. '));
  return [made, ...recorded('papers/pdf', /\.pdf$/)];
}
