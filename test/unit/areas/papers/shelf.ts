import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, onTestFinished } from 'vitest';
import { insertPapers, type Paper } from '../../../../scripts/starter/insert-papers.ts';
import { readStarterPapers, toPaper } from '../../../../scripts/starter/papers.ts';
import { vectorOf } from '../../../../scripts/starter/vectors.ts';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { type ArxivRecord, parseSingleRecord } from '../../../../src/areas/papers/arxiv/oai.ts';
import { cardMatches } from '../../../../src/areas/papers/card.ts';
import type { SectionType } from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { paperRead, paperSearch } from '../../../../src/areas/papers/operations.ts';
import { findPaperByCardId } from '../../../../src/areas/papers/queries.ts';
import type { ListFormat } from '../../../../src/areas/papers/source.ts';
import { paperMigrations } from '../../../../src/areas/papers/tables.ts';
import type { Context } from '../../../../src/core/context.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import type { Embedder } from '../../../../src/embedding/embedder.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import { settingsMigrations } from '../../../../src/store/state.ts';
import { offline } from '../../../context.ts';
import { renderRecord } from '../../../stand-ins/arxiv-oai.ts';
import type { StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { starterVectors } from '../../../starter.ts';
import { withVectors } from '../../../vectors.ts';
import { callWith, errorOf, noModel, successOf } from '../calls.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
export const AS_OF = '2026-05-11T12:44:29.000Z';

/** Snapshots of new stores, reused for identical ones. */
const made: { empty?: Buffer; starter?: Buffer } = {};

/** An empty store on disk, created by the real migrations; by default for one test. */
export function makeEmptyShelf(atEnd: AtEnd = onTestFinished): Database {
  const db = openShelf(made.empty, atEnd);
  if (made.empty === undefined) {
    migrate(db, [...settingsMigrations, ...paperMigrations], NOW);
    made.empty = db.serialize();
  }
  return db;
}

/** Calls a function when a test or all tests of a file or `describe` have finished. */
type AtEnd = (remove: () => void) => void;

function openShelf(content: Buffer | undefined, atEnd: AtEnd): Database {
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-papers-'));
  const path = join(directory, 'store.sqlite');
  if (content !== undefined) writeFileSync(path, content);
  const db = withVectors(openForWriting(path));
  // Do not wait for the disk: no test has to survive a power cut.
  db.pragma('synchronous = OFF');
  atEnd(() => {
    db.close();
    rmSync(directory, { recursive: true });
  });
  return db;
}

/** A store on disk with the starter papers and their committed vectors, for a file or `describe`. */
export function makeStarterShelf(): Database {
  if (made.starter !== undefined) return openShelf(made.starter, afterAll);
  const db = makeEmptyShelf(afterAll);
  const lookUp = (key: string, text: string) => vectorOf(starterVectors(), key, text);
  const papers = readStarterPapers('data/starter/papers').map((paper) =>
    toPaper(paper, AS_OF, lookUp),
  );
  insertPapers(db, papers);
  made.starter = db.serialize();
  return db;
}

/** A paper without sections and vectors. */
export function makeCard(more: Partial<Paper> = {}): Paper {
  return {
    sourceId: 'arxiv:2609.00001',
    version: 1,
    title: 'Dealers',
    authors: ['Ada Example'],
    abstract: 'What dealers do.',
    summary: 'What dealers do.',
    tags: [],
    categories: [],
    published: '2026-05-01',
    licenseUrl: null,
    pdfUrl: 'https://arxiv.org/pdf/2609.00001',
    origin: 'arxiv',
    asOf: NOW.toISOString(),
    sections: [],
    vector: null,
    ...more,
  };
}

/** Stores a card, and returns the id of its row. */
export function putCard(db: Database, more: Partial<Paper> = {}): number {
  const card = makeCard(more);
  insertPapers(db, [card]);
  return findPaperByCardId(db, cardIdOf(card.sourceId))?.id ?? Number.NaN;
}

export const findPaper = (db: Database, arxivId: string) =>
  findPaperByCardId(db, cardIdOf(sourceIdOf(arxivId)));

/** A section in a stored text. */
export const part = (key: string, type: SectionType, title: string, content: string) => ({
  key,
  type,
  title,
  content,
});

/** The record that arXiv sends for a paper; `arXivRaw` lists its versions. */
export function recordOf(paper: StandInPaper, format: ListFormat = 'arXiv'): ArxivRecord {
  const record = `<GetRecord>${renderRecord(paper, format)}</GetRecord>`;
  const reply = `<OAI-PMH><responseDate>2026-11-21</responseDate>${record}</OAI-PMH>`;
  const parsed = parseSingleRecord(Buffer.from(reply), paper.id);
  if (parsed === null) throw new Error(`${paper.id} has no record`);
  return parsed;
}

export { noModel };

/** Calls an operation as the doors do. */
export function call(
  db: Database,
  operation: Operation,
  input: unknown,
  embedQuery: Context['embedQuery'] = noModel,
  more: Partial<Context> = {},
) {
  return callWith({ ...offline, db, now: () => NOW, embedQuery, ...more }, operation, input);
}

/** The cards of a successful search, and its `meta`. */
export async function searchCards(
  db: Database,
  input: { query: string; topK?: number | undefined },
  embedQuery?: Context['embedQuery'],
) {
  const { data, meta } = successOf(await call(db, paperSearch, input, embedQuery));
  return { cards: paperSearch.output.parse(data), meta: { ...meta, ...cardMatches.parse(meta) } };
}

/** A successful reading, and its `meta`. */
export async function readPaper(db: Database, input: object, more?: Partial<Context>) {
  const { data, meta } = successOf(await call(db, paperRead, input, noModel, more));
  return { data: paperRead.output.parse(data), meta };
}

/** The error of a call that fails. */
export async function failureOf(db: Database, operation: Operation, input: unknown) {
  return errorOf(await call(db, operation, input));
}

/** The best three cards for a question, by the real model. */
export function searchByModel(db: Database, embedder: Pick<Embedder, 'embed'>, query: string) {
  return searchCards(db, { query, topK: 3 }, async (text) => {
    const [vector] = await embedder.embed([text]);
    return vector === undefined ? { unavailable: 'no vector' } : { vector };
  });
}
