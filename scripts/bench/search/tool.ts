import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../../src/app/migrations.ts';
import { sourceIdOf } from '../../../src/areas/papers/cards/ids.ts';
import { paperSearch } from '../../../src/areas/papers/operations.ts';
import { storePath } from '../../../src/config.ts';
import { loadEmbedder } from '../../../src/embedding/embedder.ts';
import { createQueryEmbedder } from '../../../src/embedding/query-embedder.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { findModelIn } from '../../model.ts';
import { insertPapers, type Paper } from '../../starter/insert-papers.ts';
import { details, figure, type Section } from '../figures.ts';
import { openShelf } from '../shelf.ts';
import type { SearchMaterial } from './material.ts';
import { flush } from './store.ts';
import { timeEach } from './timing.ts';

/** Goal on a quiet machine with two cores. */
const TARGET = { below: 15, of: 'p50' } as const;
const AT_ONCE = 1_000;
const PASSAGES = 8;

/** Complete `paper_search` calls without a door, charged, with the real model if there is one. */
export async function measureTool(
  modelDir: string | null,
  papers: number,
  material: SearchMaterial,
): Promise<Section> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  fillPapers(storePath(home), papers, material);
  const embedder = createQueryEmbedder({
    stored: () => undefined,
    supported: true,
    find: async () => (modelDir === null ? null : findModelIn(modelDir)),
    load: (files) => loadEmbedder(files, { threads: 2 }),
    fetch: null,
    now: () => new Date(),
    log: () => {},
  });
  const shelf = await openShelf(home, {
    embedQuery: (text) => embedder.embedQuery(text),
    isWord: (word) => embedder.isWord(word),
  });
  const ask = (query: string) => shelf.call(paperSearch, { query, topK: 5 });
  try {
    const texts = material.asked.map(({ text }) => text);
    // One round: no vector of these queries is cached yet.
    const first = await timeEach(texts, ask, 1);
    // A different text each round, whose vector is not cached.
    const fresh = await timeEach(texts, (text, round) => ask(`${text}${' ?'.repeat(round + 1)}`));
    const again = await timeEach(texts, ask);
    const embedded = await timeEach(texts, (text, round) =>
      embedder.embedQuery(`${text}${' .'.repeat(round + 1)}`),
    );
    const how = modelDir === null ? 'lexical only, without the model' : 'with the model';
    return {
      title: `paper_search of ${papers.toLocaleString('en-US')} papers, ${how}`,
      figures: [
        figure('a new query', 'ms', fresh, modelDir === null ? undefined : TARGET),
        ...(modelDir === null ? [] : [figure('  its embedding only', 'ms', embedded)]),
        figure('a repeated query', 'ms', again),
        ...details([figure('the first time, one round', 'ms', first)]),
      ],
    };
  } finally {
    await embedder.close();
    shelf.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function fillPapers(path: string, papers: number, material: SearchMaterial): void {
  const db = openForWriting(path);
  db.pragma('synchronous = OFF');
  migrate(db, migrations, new Date());
  for (let start = 0; start < papers; start += AT_ONCE) {
    insertPapers(
      db,
      Array.from({ length: Math.min(AT_ONCE, papers) }, (_, index) =>
        makePaper(start + index, material),
      ),
    );
  }
  db.exec('ANALYZE');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  flush(path);
}

function makePaper(index: number, { series, vocabulary }: SearchMaterial): Paper {
  const words = vocabulary.draw(110, index);
  const abstract = `${words.slice(10).join(' ')}.`;
  return {
    sourceId: sourceIdOf(`2605.${String(index + 1).padStart(5, '0')}`),
    version: 1,
    title: words.slice(0, 10).join(' '),
    authors: ['Ngozi Okafor', 'Åsa M. Lindqvist'],
    abstract,
    summary: '',
    tags: words.slice(-3),
    categories: ['q-fin.TR'],
    published: '2026-05-01',
    licenseUrl: null,
    pdfUrl: 'https://arxiv.org/pdf/2605.00001',
    origin: 'arxiv',
    asOf: '2026-05-01T00:00:00.000Z',
    sections: [
      {
        key: 'abstract',
        type: 'abstract',
        title: 'Abstract',
        content: abstract,
        vectors: Array.from({ length: PASSAGES }, (_, at) => series(index + at)),
      },
    ],
    vector: series(index),
  };
}
