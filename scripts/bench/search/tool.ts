import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chargeWhenFree,
  ensureLocalAccount,
  LOCAL_ACCOUNT,
  openAccount,
} from '../../../src/accounts/accounts.ts';
import { migrations } from '../../../src/app/migrations.ts';
import { sourceIdOf } from '../../../src/areas/papers/cards/ids.ts';
import { paperSearch } from '../../../src/areas/papers/operations.ts';
import { type OpenShelf, run } from '../../../src/core/run.ts';
import { loadEmbedder } from '../../../src/embedding/embedder.ts';
import { createQueryEmbedder } from '../../../src/embedding/query-embedder.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForCalls, openForWriting } from '../../../src/store/open.ts';
import { findModelIn } from '../../model.ts';
import { insertPapers, type Paper } from '../../starter/insert-papers.ts';
import { details, figure, type Section } from '../figures.ts';
import type { SearchMaterial } from './material.ts';
import { flush } from './store.ts';
import { timeEach } from './timing.ts';

/** Goal on a quiet machine with two cores. */
const TARGET = { below: 15, of: 'p50' } as const;
const AT_ONCE = 1_000;
const PASSAGES = 8;
/** For every call. */
const CREDITS = 1_000_000;

/** Complete `paper_search` calls without a door, charged, with the real model if there is one. */
export async function measureTool(
  modelDir: string | null,
  papers: number,
  material: SearchMaterial,
): Promise<Section> {
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  const path = join(directory, 'store.sqlite');
  fillPapers(path, papers, material);
  const { db, accounts, vectorFault } = openForCalls(path);
  if (vectorFault !== null) throw vectorFault;
  const embedder = createQueryEmbedder({
    stored: () => ({ stamp: undefined, isChanging: false }),
    supported: true,
    find: async () => (modelDir === null ? null : findModelIn(modelDir)),
    load: (files) => loadEmbedder(files, { threads: 2 }),
    fetch: null,
    now: () => new Date(),
    log: () => {},
  });
  const context: OpenShelf['context'] = {
    db,
    now: () => new Date(),
    embedQuery: (text) => embedder.embedQuery(text),
    isWord: (word) => embedder.isWord(word),
    addPaper: async () => 'offline',
    freshenPaper: async () => 'offline',
    freshenSeries: async () => 'offline',
    refreshMarkets: () => null,
    policy: 'personal',
  };
  ensureLocalAccount(accounts, CREDITS, new Date());
  const account = chargeWhenFree(openAccount(accounts, LOCAL_ACCOUNT, () => new Date()));
  const caller = { open: async () => ({ context, account }), log: () => {} };
  const ask = async (query: string) => {
    const { ok, envelope } = await run(paperSearch, { query, topK: 5 }, caller);
    if (!ok) throw new Error(JSON.stringify(envelope));
  };
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
    accounts.close();
    rmSync(directory, { recursive: true, force: true });
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
