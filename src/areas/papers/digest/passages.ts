import type { Database } from 'better-sqlite3';
import { type SectionVectors, storeSectionVectors } from '../full-text/ingest.ts';
import type { Embed } from '../sync/digest-papers.ts';
import { findTextToEmbed, type SectionToEmbed } from '../sync/queries.ts';
import { plainTex } from './latex.ts';
import { sectionText } from './texts.ts';

/** Characters of a passage: about what the model's window of 256 tokens holds. */
const PASSAGE = 1_000;
/** Passages of a paper that get vectors, spread evenly; 1.5 KB and some 40 ms each. */
const MAX_PASSAGES = 120;

/**
 * Gives the sections of a paper's full text their vectors, one per passage of about 1,000
 * characters, so that a search can point at the section that answers. One text at a time goes to
 * `embed`, for others may be waiting for the model. False when there was nothing to do.
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
    if (vector === undefined) throw new Error('the model gave no vector');
    vectors.set(key, [...(vectors.get(key) ?? []), vector]);
  }
  const sections: SectionVectors[] = [...vectors].map(([key, list]) => ({ key, vectors: list }));
  return storeSectionVectors(db, paperId, text.fetched, sections);
}

/** A section cut at its paragraphs into pieces of about the model's window. */
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
