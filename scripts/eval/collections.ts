import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { migrations } from '../../src/app/migrations.ts';
import { isFinance } from '../../src/areas/markets/scope/scope.ts';
import { parseGammaEvent } from '../../src/areas/markets/source.ts';
import { embedEvents } from '../../src/areas/markets/sync/embed-events.ts';
import { storeSeenEvents } from '../../src/areas/markets/sync/ingest.ts';
import { eventIndex } from '../../src/areas/markets/tables.ts';
import { sourceIdOf } from '../../src/areas/papers/cards/ids.ts';
import { digestPending } from '../../src/areas/papers/sync/digest-papers.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { migrate } from '../../src/store/migrations.ts';
import type { SearchIndex } from '../../src/store/search/index.ts';
import { loadVectorExtension } from '../../src/store/search/vectors/extension.ts';
import { Database } from '../../src/store/sqlite.ts';
import { insertPapers } from '../starter/insert-papers.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import type { Grades } from './measures.ts';

/** A query with the cards that answer it. */
export interface Judged {
  query: string;
  /** Weights are tuned on the train half; the test half is reported. */
  half: 'train' | 'test';
  grades: Grades;
}

/** A query without an answer, in one of the halves. */
export interface Asked {
  query: string;
  half: Judged['half'];
  /** Cards that are removed from the shelf for this query. */
  withheld?: readonly number[];
}

/** Cards in an index, and queries about them. */
export interface Collection {
  name: string;
  db: Database.Database;
  index: SearchIndex;
  judged: readonly Judged[];
  /** On-topic queries that no card answers. */
  notHeld: readonly Asked[];
  /** Some of those with the cards that are nearest. */
  near?: readonly Judged[];
  /** When they are asked, which "in January" depends on; the day of the recorded events by default. */
  askedAt?: Date;
  /** Another collection has the same cards, and is asked what the field does not answer. */
  isSecond?: boolean;
  /** Further answered queries of the train half, on which only the field is fitted. */
  ofField?: readonly Judged[];
}

const EVAL = 'data/eval';
const PAPERS = 'data/papers/qfin-2025-2026-2000.json';
const EVENTS = ['a', 'b'].map((pull) => `data/markets/gamma-events-100-${pull}.json`);
/** Any time after the recordings. */
export const AT = new Date('2026-06-01T00:00:00Z');

const paperFile = z.array(
  z.object({
    arxiv_id: z.string(),
    title: z.string(),
    abstract: z.string(),
    authors: z.array(z.string()),
    categories: z.array(z.string()),
    published: z.string(),
  }),
);
export const judgedFile = z.array(
  z.object({
    query: z.string(),
    half: z.enum(['train', 'test']),
    relevant: z.record(z.string(), z.number()),
  }),
);

/** Questions that describe one paper without the words of its title. */
const paraphraseFile = z.array(z.strictObject({ paper: z.string(), query: z.string() }));

/** Questions for one paper each: without the words of its title, or as people ask. All `test`. */
const knownFile = z.array(
  z.strictObject({
    paper: z.string(),
    kind: z.enum(['paraphrase', 'asked']),
    query: z.string(),
  }),
);

/** A question that one paper answers, and one of a like subject with a specific that none has. */
const specificsFile = z.array(
  z.strictObject({ paper: z.string(), query: z.string(), nearMiss: z.string() }),
);

export function readEval<T>(name: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(join(EVAL, name), 'utf8')));
}

/**
 * The 2,000 recorded papers, stored as by a sync: with the judged queries, with the long paraphrases,
 * with the known items and with the specifics. Empty if they are not available.
 */
export async function readQfinPapers(
  shared: string,
  embedder: CachedEmbedder,
): Promise<Collection[]> {
  if (!existsSync(join(shared, PAPERS))) return [];
  const papers = paperFile.parse(JSON.parse(readFileSync(join(shared, PAPERS), 'utf8')));
  const db = emptyStore();
  insertPapers(
    db,
    papers.map(({ arxiv_id, published, ...paper }) => ({
      ...paper,
      sourceId: sourceIdOf(arxiv_id.replace(/v\d+$/, '')),
      version: null,
      summary: '',
      tags: [],
      published: published.slice(0, 10),
      licenseUrl: null,
      pdfUrl: `https://arxiv.org/pdf/${arxiv_id}`,
      origin: 'arxiv' as const,
      asOf: AT.toISOString(),
      sections: [],
      vector: null,
    })),
  );
  await digestPending(db, embedder.embed, { signal: new AbortController().signal });
  const idOf = db.prepare<[string], number>('SELECT id FROM paper WHERE source_id = ?').pluck();
  const files = ['qfin-papers-1.json', 'qfin-papers-2.json'];
  const judged = files.flatMap((file) => readEval(file, judgedFile));
  const cardOf = (key: string) => idOf.get(sourceIdOf(key));
  const specifics = readEval('near-miss-specifics.json', specificsFile);
  const name = `q-fin, ${papers.length.toLocaleString('en')} papers`;
  return [
    {
      name,
      db,
      index: paperIndex,
      judged: judged.map((question) => withGrades(question, cardOf)),
      notHeld: inHalves(readEval('near-miss-papers.json', z.array(z.string()))),
      ofField: readEval('qfin-papers-short.json', judgedFile).map((one) => withGrades(one, cardOf)),
    },
    {
      name: `${name}, paraphrased`,
      db,
      index: paperIndex,
      judged: readEval('qfin-papers-long.json', paraphraseFile).map(({ paper, query }) =>
        withGrades({ query, half: halfOfId(paper), relevant: { [paper]: 1 } }, cardOf),
      ),
      notHeld: [],
      isSecond: true,
    },
    {
      name: `${name}, known items`,
      db,
      index: paperIndex,
      judged: readEval('qfin-papers-known.json', knownFile).map(({ paper, query }) =>
        withGrades({ query, half: 'test', relevant: { [paper]: 1 } }, cardOf),
      ),
      notHeld: [],
      isSecond: true,
    },
    {
      name: `${name}, with a specific`,
      db,
      index: paperIndex,
      judged: specifics.map(({ paper, query }, index) =>
        withGrades({ query, half: halfOf(index), relevant: { [paper]: 1 } }, cardOf),
      ),
      notHeld: inHalves(specifics.map(({ nearMiss }) => nearMiss)),
      isSecond: true,
    },
  ];
}

/** Five eighths of the ids are `train`, so that enough of the paraphrases are there to fit on. */
function halfOfId(id: string): Judged['half'] {
  const first = createHash('sha256').update(id).digest()[0] ?? 0;
  return first < 160 ? 'train' : 'test';
}

/** The recorded events in scope; null if they are not available. */
export async function readEvents(
  shared: string,
  embedder: CachedEmbedder,
): Promise<Collection | null> {
  const recorded = await storeRecordedEvents(shared);
  if (recorded === null) return null;
  const { db } = recorded;
  await embedEvents(db, embedder.embed, { signal: new AbortController().signal });
  const count = db.prepare<[], number>('SELECT count(*) FROM market_event').pluck().get() ?? 0;
  return {
    ...recorded,
    name: `${count} events`,
    judged: readEval('qfin-events.json', judgedFile).map((one) => withGrades(one, Number)),
    notHeld: inHalves(readEval('near-miss-events.json', z.array(z.string()))),
    ofField: readEval('qfin-events-framed.json', judgedFile).map((one) => withGrades(one, Number)),
  };
}

/** A shelf with the recorded events in scope, not embedded yet; null if they are not available. */
export async function storeRecordedEvents(
  shared: string,
): Promise<Pick<Collection, 'db' | 'index'> | null> {
  if (!EVENTS.every((path) => existsSync(join(shared, path)))) return null;
  const db = emptyStore();
  for (const path of EVENTS) {
    const pull = z.array(z.unknown()).parse(JSON.parse(readFileSync(join(shared, path), 'utf8')));
    await storeSeenEvents(db, pull.map(parseGammaEvent).filter(isFinance), AT);
  }
  return { db, index: eventIndex };
}

/** A database in memory with vector search. */
export function openInMemory(): Database.Database {
  const db = new Database(':memory:');
  const fault = loadVectorExtension(db);
  if (fault !== null) throw fault;
  return db;
}

function emptyStore(): Database.Database {
  const db = openInMemory();
  migrate(db, migrations, AT);
  return db;
}

/** Queries in alternating halves. */
export function inHalves(queries: readonly string[]): Asked[] {
  return queries.map((query, index) => ({ query, half: halfOf(index) }));
}

export function halfOf(index: number): Judged['half'] {
  return index % 2 === 0 ? 'train' : 'test';
}

export function withGrades(
  { query, half, relevant }: z.infer<typeof judgedFile>[number],
  idOf: (key: string) => number | undefined,
): Judged {
  const grades = Object.entries(relevant).map(([key, grade]) => {
    const id = idOf(key);
    if (id === undefined) throw new Error(`"${query}" names ${key}, which is not a card`);
    return [id, grade] as const;
  });
  return { query, half, grades: new Map(grades) };
}
