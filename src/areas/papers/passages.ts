import type { TextSection } from './full-text/sections/sections.ts';
import { plainTex } from './latex.ts';

/** Passages of at most 1,000 characters, which fit into the model's window of 256 tokens. */
const PASSAGE = /[\s\S]{1,1000}(?=\n{2}|$)|[\s\S]{1,1000}/g;
/** Maximum number of passages per paper; each takes about 40 ms to embed and 384 bytes to store. */
const MAX_PASSAGES = 120;

/**
 * Adds the passages to embed to each section: plain text, split at paragraph breaks where possible.
 * Processes the whole text, so run it in the parser's thread.
 */
export function addPassages(sections: readonly TextSection[]): TextSection[] {
  const all = sections.flatMap((section) =>
    section.type === 'references' || section.type === 'note'
      ? []
      : splitPassages(section.content).map((passage) => ({ key: section.key, passage })),
  );
  const step = Math.max(1, all.length / MAX_PASSAGES);
  const chosen = all.filter((_, at) => Math.floor(at / step) > Math.floor((at - 1) / step));
  return sections.map((section) => ({
    ...section,
    passages: chosen.filter(({ key }) => key === section.key).map(({ passage }) => passage),
  }));
}

function splitPassages(content: string): string[] {
  const pieces = plainTex(content).match(PASSAGE) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}
