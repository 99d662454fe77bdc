import type { Database } from 'better-sqlite3';
import type { Embed } from '../../core/sync.ts';
import {
  cardText,
  DIGEST_MARK,
  digestOf,
  digestTexts,
  plainCardText,
  sectionText,
} from './digest.ts';
import { plainTex } from './latex.ts';
import { type SectionVectors, storeSectionVectors } from './text-ingest.ts';
import { TOPICS, topicText } from './topics.ts';
import {
  countUndigested,
  type Digest,
  findTextToEmbed,
  listOwnUnembedded,
  listUndigested,
  type OwnRow,
  type SectionToEmbed,
  storeDigests,
  storeOwnVectors,
  type UndigestedRow,
} from './vector-ingest.ts';

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
  if (listUndigested(db, 1).length === 0) return 0;
  const total = countUndigested(db);
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
    return [{ ...row, ...digestOf(row, { title, sentences, topics }), passages }];
  });
  const vectors = await embedGroups(
    embed,
    digests.map((digest) => [plainCardText(digest)]),
  );
  return digests.flatMap((digest, index) =>
    (vectors[index] ?? []).map((vector) => ({ ...digest, vector })),
  );
}

/** Papers per group; an interruption loses one. */
const PAPERS_AT_ONCE = 16;

/**
 * Embeds the digests and notes that we wrote, where their vectors are missing, as the starter shelf's
 * own were made. Returns the number of papers.
 */
export async function embedOwn(
  db: Database,
  embed: Embed,
  options: { signal: AbortSignal; onProgress?: (done: number) => void },
): Promise<number> {
  for (let done = 0; ; ) {
    options.signal.throwIfAborted();
    const rows = listOwnUnembedded(db, PAPERS_AT_ONCE);
    if (rows.length === 0) return done;
    const vectors = await embedGroups(embed, rows.map(textsOf));
    const papers = rows.map((row, at) => {
      const [card = null, ...own] = vectors[at] ?? [];
      const sections = row.sections.flatMap(({ key }, index) =>
        own.slice(index, index + 1).map((vector) => ({ key, vector })),
      );
      return { id: row.id, card: row.isCardOurs === 1 ? card : null, sections };
    });
    storeOwnVectors(db, papers);
    done += rows.length;
    options.onProgress?.(done);
  }
}

/** The card first, then the sections. */
function textsOf({ title, abstract, tags, sections }: OwnRow): string[] {
  return [
    cardText({ title, abstract: abstract.replace(DIGEST_MARK, ''), summary: '', tags }),
    ...sections.map((section) => sectionText(title, section.title, section.content)),
  ];
}

/** Characters per passage, about the model's window of 256 tokens. */
const PASSAGE = 1_000;
/** Most passages of a paper that get vectors, evenly spaced; each takes 1.5 KB and about 40 ms. */
const MAX_PASSAGES = 120;

/**
 * Embeds the sections of a paper's full text, one vector per passage, so that search can point to
 * the matching section. Calls `embed` with one text at a time, since others may be waiting for the
 * model. Returns false when there was nothing to do or the text was replaced meanwhile.
 */
export async function embedText(
  db: Database,
  paperId: number,
  embed: Embed,
  signal: AbortSignal,
): Promise<boolean> {
  const text = findTextToEmbed(db, paperId);
  if (text === undefined) return false;
  const all = text.sections.flatMap((section) => passagesOf(section));
  const step = Math.max(1, all.length / MAX_PASSAGES);
  const chosen = all.filter(
    (_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  );
  const vectors = new Map<string, Float32Array[]>();
  for (const { key, title, content } of chosen) {
    signal.throwIfAborted();
    const [vector] = await embed([sectionText(plainTex(text.title), title, content)]);
    if (vector === undefined) throw new Error('the model returned no vector');
    vectors.set(key, [...(vectors.get(key) ?? []), vector]);
  }
  const sections: SectionVectors[] = [...vectors].map(([key, list]) => ({ key, vectors: list }));
  return storeSectionVectors(db, paperId, { fetched: text.fetched, sections });
}

/** Splits a section into passages, at paragraph breaks where possible. */
export function passagesOf({ key, title, content }: SectionToEmbed): SectionToEmbed[] {
  const pieces: string[] = [];
  let piece = '';
  for (const paragraph of plainTex(content).split(/\n{2,}/)) {
    for (let start = 0; start < paragraph.length; start += PASSAGE) {
      const part = paragraph.slice(start, start + PASSAGE);
      if (piece !== '' && piece.length + part.length > PASSAGE) {
        pieces.push(piece);
        piece = '';
      }
      piece = piece === '' ? part : `${piece}\n${part}`;
    }
  }
  if (piece.trim() !== '') pieces.push(piece);
  return pieces.map((text) => ({ key, title, content: text }));
}
