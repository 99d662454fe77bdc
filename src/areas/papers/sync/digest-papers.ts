import type { Database } from 'better-sqlite3';
import type { Embed } from '../../../core/sync.ts';
import { digestOf, digestTexts, plainCardText } from '../digest/digest.ts';
import { TOPICS, topicText } from '../digest/topics.ts';
import { type Digest, storeDigests } from '../ingest.ts';
import { countUndigested, listUndigested, type UndigestedRow } from './queries.ts';

/** The vectors of several groups of texts, embedded together. */
export async function embedGroups(
  embed: Embed,
  groups: readonly (readonly string[])[],
): Promise<Float32Array[][]> {
  const vectors = await embed(groups.flat());
  if (vectors.length < groups.flat().length) {
    throw new Error('the model returned fewer vectors than texts');
  }
  return groups.map(({ length }) => vectors.splice(0, length));
}

/**
 * Cards per group: enough to batch sentences of similar length, few enough to lose little in a crash
 * and to stop within seconds.
 */
const CARDS_AT_ONCE = 16;

/** Groups between checkpoints of the write-ahead log. */
const CHECKPOINT_EVERY = 20;

/**
 * Computes summary, tags and vector of every card that lacks them. Each group is stored when done, so
 * an interrupted run resumes with the first card left. Returns the number of cards.
 */
export async function digestPending(
  db: Database,
  embed: Embed,
  options: { signal: AbortSignal; onProgress?: (done: number, total: number) => void },
): Promise<number> {
  const total = countUndigested(db);
  if (total === 0) return 0;
  const topics = await embed(TOPICS.map(topicText));
  let done = 0;
  for (let group = 1; ; group += 1) {
    options.signal.throwIfAborted();
    const rows = listUndigested(db, CARDS_AT_ONCE);
    if (rows.length === 0) return done;
    storeDigests(db, await digestRows(rows, embed, topics));
    done += rows.length;
    if (group % CHECKPOINT_EVERY === 0) db.pragma('wal_checkpoint(PASSIVE)');
    options.onProgress?.(done, Math.max(total, done));
  }
}

/** The same for one card, if it needs it. */
export async function digestPaper(db: Database, id: number, embed: Embed): Promise<void> {
  const [row] = listUndigested(db, 1, id);
  if (row?.id !== id) return;
  const topics = await embed(TOPICS.map(topicText));
  storeDigests(db, await digestRows([row], embed, topics));
}

async function digestRows(
  rows: readonly UndigestedRow[],
  embed: Embed,
  topics: readonly Float32Array[],
): Promise<Digest[]> {
  const texts = rows.map(digestTexts).map(({ title, sentences }) => [title, ...sentences]);
  const digests = (await embedGroups(embed, texts)).flatMap((passages, index) => {
    const [row, [title, ...sentences]] = [rows[index], passages];
    if (row === undefined || title === undefined) return [];
    return [{ ...row, ...digestOf(row, { title, sentences }, topics), passages }];
  });
  const vectors = await embedGroups(
    embed,
    digests.map((digest) => [plainCardText(digest)]),
  );
  return digests.flatMap((digest, index) =>
    (vectors[index] ?? []).map((vector) => ({ ...digest, vector })),
  );
}
