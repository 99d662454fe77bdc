import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStarterPapers } from '../../../../scripts/starter/check-papers.ts';
import { summaryOf } from '../../../../scripts/starter/paper-cards.ts';
import { readStarterPapers } from '../../../../scripts/starter/papers.ts';
import { splitSentences } from '../../../../src/areas/papers/sentences.ts';

const SHARED_DIR = process.env.QUANTSHELF_SHARED_DIR ?? resolve('../shared');
const hasShared = existsSync(join(SHARED_DIR, 'data', 'papers'));

it('a card of the starter shelf does not say the same twice', () => {
  const papers = readStarterPapers('data/starter/papers');
  expect(papers.length).toBeGreaterThan(100);
  for (const paper of papers) {
    const sentences = splitSentences(summaryOf(paper));
    expect(sentences.length, paper.id).toBeGreaterThan(1);
    expect(sentences.length, paper.id).toBeLessThan(5);
    for (const sentence of sentences) expect(paper.digest).not.toContain(sentence);
  }
});

describe.skipIf(!hasShared)('the starter papers', () => {
  it('contain only recorded facts and our own words', () => {
    expect(checkStarterPapers('data', SHARED_DIR)).toEqual([]);
  });
});
