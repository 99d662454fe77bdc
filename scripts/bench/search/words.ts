import type { Database } from 'better-sqlite3';
import { queryTerms, tokenise } from '../../../src/store/search/lexical/tokenise.ts';
import { makePapers, readRecordedPapers } from '../../../test/stand-ins/arxiv-papers.ts';
import { pick, seeded } from './random.ts';

/** Words of the synthetic cards, the most frequent first, drawn by Zipf's law. */
export interface Vocabulary {
  /** Real words without stop words: the most frequent ones, and the rarer half. */
  common: readonly string[];
  rare: readonly string[];
  /** Words of a text, deterministic for a seed. */
  draw(count: number, seed: number): string[];
}

const WORDS = 50_000;
/** Offset of the Zipf–Mandelbrot law. */
const OFFSET = 2.7;
const DRAWN = 1 << 20;
const COMMON = 60;
const OTHER_WORD = 'gold';
const SYLLABLES = 'ba ce di fo gu la me ni po ru sa te vi xo zu kra ple sti tro gni'.split(' ');

/**
 * Real words by their frequency in the starter shelf and, if available, the recorded papers, followed
 * by invented ones.
 */
export function makeVocabulary(starter: Database, seed: number): Vocabulary {
  const counts = new Map<string, number>();
  const words = new Set<string>();
  for (const text of realTexts(starter)) {
    for (const stem of tokenise(text)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    for (const word of text.toLowerCase().match(/[a-z]{2,}/g) ?? []) words.add(word);
  }
  const real = [...counts]
    .filter(([stem]) => /^[a-z]{2,}$/.test(stem))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([stem]) => stem);
  const random = seeded(seed);
  const all = new Set(real);
  while (all.size < WORDS) {
    const parts = Array.from({ length: 3 + Math.floor(random() * 2) }, () =>
      pick(SYLLABLES, random),
    );
    all.add(`${parts.join('')}x`);
  }
  const ranked = [...all];
  const drawn = drawZipf(ranked.length, seed);
  const wordOf = new Map<string, string>();
  for (const word of words) {
    // Stop words are dropped only next to another word.
    const [first] = queryTerms(`${word} ${OTHER_WORD}`);
    if (first !== undefined && !wordOf.has(first.term)) wordOf.set(first.term, word);
  }
  const means = real.flatMap((stem) => wordOf.get(stem) ?? []);
  return {
    common: means.slice(0, COMMON),
    rare: means.slice(Math.floor(means.length / 2)),
    draw(count, from) {
      const place = seeded(from);
      return Array.from({ length: count }, () => {
        const rank = drawn[Math.floor(place() * DRAWN)] ?? 0;
        return ranked[rank] ?? '';
      });
    },
  };
}

function realTexts(starter: Database): string[] {
  const texts = [
    'SELECT title || char(10) || abstract FROM paper',
    'SELECT content FROM paper_section',
    'SELECT title FROM market_event',
  ].flatMap((select) => starter.prepare<[], string>(select).pluck().all());
  const recorded = readRecordedPapers();
  const papers = recorded.length === 0 ? makePapers(50) : recorded;
  return [...texts, ...papers.map(({ title, abstract }) => `${title}\n${abstract}`)];
}

/** Ranks of `DRAWN` words, distributed by Zipf's law. */
function drawZipf(words: number, seed: number): Uint32Array {
  const sums = new Float64Array(words);
  let sum = 0;
  for (let rank = 0; rank < words; rank += 1) {
    sum += 1 / (rank + OFFSET);
    sums[rank] = sum;
  }
  const random = seeded(seed);
  return Uint32Array.from({ length: DRAWN }, () => {
    const target = random() * sum;
    let [low, high] = [0, words - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
