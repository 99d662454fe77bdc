import type { Database } from 'better-sqlite3';
import type { Embed } from '../../core/area.ts';
import { describeError } from '../../core/errors.ts';
import { indexVectors } from '../../search/profile.ts';
import { packVectors } from '../../search/vectors.ts';
import { write } from '../../store/connection.ts';
import { cardText, DIGEST_MARK, digestOf, digestTexts, joinSentences } from './digest.ts';
import { indexCard, textOf } from './ingest.ts';
import { plainTex } from './latex.ts';
import { findUndigested, getPaperById, type PaperRow, readStrings } from './queries.ts';
import { paperIndex } from './tables.ts';
import { TOPICS, topicText } from './topics.ts';

/**
 * Computes summary, tags and vectors for every card that lacks them, or only for those among `ids`.
 * Stores each card when done, so an interrupted run resumes where it stopped. Returns the number of
 * cards.
 */
export async function digestPending(
  db: Database,
  embed: Embed,
  options: {
    ids?: readonly number[];
    signal: AbortSignal;
    onProgress?: (done: number, total: number) => void;
  },
): Promise<number> {
  const total = countUndigested(db);
  const find = () => findUndigested(db, options.ids ?? null);
  let card = find();
  if (card === undefined) return 0;
  const topics = await embed(TOPICS.map(topicText));
  let done = 0;
  for (; card !== undefined; card = find()) {
    options.signal.throwIfAborted();
    await digestCard(db, card, embed, topics);
    done += 1;
    options.onProgress?.(done, Math.max(total, done));
  }
  return done;
}

async function digestCard(
  db: Database,
  card: PaperRow,
  embed: Embed,
  topics: readonly Float32Array[],
): Promise<void> {
  const texts = await embed(digestTexts(card));
  // Keep the summary and tags that we wrote for a starter card.
  const { summary, tags } = card.origin === 'starter' ? card : digestOf(card, { texts, topics });
  const abstract = card.abstract.replace(DIGEST_MARK, '');
  const [vector] = await embed([plainTex(cardText({ ...card, abstract, summary, tags }))]);
  if (vector === undefined) throw new Error('the model returned no vector');
  const update = db.prepare(
    'UPDATE paper SET summary = @summary, tags = @tags, digested = 1 WHERE id = @id',
  );
  write(db, () => {
    const current = getPaperById(db, card.id);
    // Discard the result if the paper was withdrawn or changed while the model ran.
    if (current?.withdrawn !== 0 || textOf(current) !== textOf(card)) return;
    update.run({ id: card.id, summary, tags: JSON.stringify(tags) });
    indexCard(db, card.id, { ...card, tags });
    indexVectors(db, paperIndex, [{ id: card.id, vector, passages: texts }]);
  });
}

export function countUndigested(db: Database): number {
  const sql = 'SELECT count(*) FROM paper WHERE digested = 0 AND withdrawn = 0';
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

export function setDigestDue(db: Database, id: number): void {
  db.prepare('UPDATE paper SET digested = 0 WHERE id = @id').run({ id });
}

/**
 * Embeds the sections of a paper's full text, one vector per passage, so that search can point to
 * the matching section. Calls `embed` with one text at a time, since others may be waiting for the
 * model.
 */
export async function embedText(
  db: Database,
  paperId: number,
  embed: Embed,
  signal: AbortSignal,
): Promise<void> {
  const text = db
    .prepare<{ paperId: number }, { title: string; fetched: string }>(`
      SELECT title, fetched FROM paper JOIN paper_text ON paper_id = id
      WHERE id = @paperId AND source IS NOT NULL AND embedded = 0`)
    .get({ paperId });
  if (text === undefined) return;
  const sections = db
    .prepare<{ paperId: number }, { key: string; title: string; passages: string }>(`
      SELECT section_key AS key, title, passages FROM paper_section
      WHERE paper_id = @paperId AND passages IS NOT NULL ORDER BY section_order`)
    .all({ paperId });
  const paperTitle = plainTex(text.title);
  const vectors = new Map<string, Float32Array[]>();
  for (const { key, title, passages } of sections) {
    for (const passage of readStrings(passages)) {
      signal.throwIfAborted();
      // A passage may lack the subject, which the paper's title supplies.
      const [vector] = await embed([joinSentences([paperTitle, title, passage])]);
      if (vector !== undefined) vectors.set(key, [...(vectors.get(key) ?? []), vector]);
    }
  }
  write(db, () => {
    const { changes } = db
      .prepare(
        'UPDATE paper_text SET embedded = 1 WHERE paper_id = @paperId AND fetched = @fetched',
      )
      .run({ paperId, fetched: text.fetched });
    // Discard the vectors if the text was replaced while the model ran.
    if (changes === 0) return;
    const embedSection = db.prepare(`
      UPDATE paper_section SET embedding = @embedding, passages = NULL
      WHERE paper_id = @paperId AND section_key = @key`);
    for (const [key, list] of vectors) {
      embedSection.run({ paperId, key, embedding: packVectors(list) });
    }
  });
}

export async function embedPapers(
  db: Database,
  ids: readonly number[],
  embed: Embed,
  signal: AbortSignal,
  onPaper: (done: number) => void = () => {},
): Promise<void> {
  await digestPending(db, embed, { ids, signal });
  for (const [at, id] of ids.entries()) {
    await embedText(db, id, embed, signal);
    onPaper(at + 1);
  }
}

/** Ids of papers whose text was requested and whose card or text lacks vectors, last fetched first. */
export function listUnembedded(db: Database): number[] {
  return db
    .prepare<[], number>(`
      SELECT paper_id FROM paper_text JOIN paper ON id = paper_id
      WHERE (withdrawn = 0 OR id < 0) AND (digested = 0 OR (source IS NOT NULL AND embedded = 0))
      ORDER BY fetched DESC, paper_id`)
    .pluck()
    .all();
}

export type VectorQueue = ReturnType<typeof createVectorQueue>;

/**
 * Embeds the papers that were read, in the background and one at a time. `embed` returns null while
 * no model is loaded; `db` is writable.
 */
export function createVectorQueue(
  db: Database,
  embed: (texts: readonly string[]) => Promise<Float32Array[] | null>,
  log: (line: string) => void,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let tail: Promise<void> = Promise.resolve();
  let isResumed = false;
  const embedNow: Embed = async (texts) => {
    const vectors = await embed(texts);
    if (vectors === null) throw new Error('no embedding model is loaded yet');
    return vectors;
  };
  const logFailure = (error: unknown) => {
    if (!signal.aborted) log(`papers: ${describeError(error)}`);
  };
  const embedRead = async () => {
    // Without a model, every paper would fail.
    if (signal.aborted || (await embed([])) === null) return;
    for (const id of listUnembedded(db)) {
      if (signal.aborted) return;
      await embedPapers(db, [id], embedNow, signal).catch(logFailure);
    }
  };
  const wake = () => {
    tail = tail.then(embedRead).catch(logFailure);
  };
  return {
    /** Embeds papers that were read but lack vectors. */
    wake,
    /** Embeds papers left by an earlier process; only once, because it reads every text's row. */
    resume() {
      if (!isResumed) wake();
      isResumed = true;
    },
    /** Stops, and waits for the embedding in progress. */
    close(): Promise<void> {
      stopping.abort();
      return tail;
    },
  };
}
