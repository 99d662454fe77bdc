import type { Database } from 'better-sqlite3';
import type { Embed } from '../../core/sync.ts';
import { sectionText } from './digest/digest.ts';
import { plainTex } from './digest/latex.ts';
import { findTextToEmbed, type SectionToEmbed } from './sync/queries.ts';
import { type SectionVectors, storeSectionVectors } from './text-ingest.ts';

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
