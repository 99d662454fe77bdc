import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordedPapers } from '../../../../scripts/eval/recorded-papers.ts';
import { readStarterPapers, summaryOf } from '../../../../scripts/starter/papers.ts';
import { splitSentences } from '../../../../src/areas/papers/digest.ts';
import { describeShared } from '../../../shared.ts';

const papers = readStarterPapers('data/starter/papers');

it('the summary of a starter card has two to four sentences, none of them from its digest', () => {
  expect(papers.length).toBeGreaterThan(100);
  for (const paper of papers) {
    const sentences = splitSentences(summaryOf(paper));
    expect(sentences.length, paper.id).toBeGreaterThan(1);
    expect(sentences.length, paper.id).toBeLessThan(5);
    for (const sentence of sentences) expect(paper.digest).not.toContain(sentence);
  }
});

/** Lower-case words; a hyphen separates words, so "order-flow" and "order flow" are the same phrase. */
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** All phrases of seven words. */
function phrasesOf(text: string): string[] {
  const words = wordsOf(text);
  return words.slice(6).map((_, start) => words.slice(start, start + 7).join(' '));
}

const WORDS = ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** Numbers in digits, without thousands separators, and those in words from three to twelve. */
function numbersOf(text: string): string[] {
  const figures = text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(\.\d+)*/g) ?? [];
  const inWords = wordsOf(text).flatMap((word) =>
    WORDS.includes(word) ? [String(WORDS.indexOf(word) + 3)] : [],
  );
  return [...figures, ...inWords];
}

describeShared('the starter paper', 'data/papers/qfin-2025-2026-2000.json', (path) => {
  const records = new Map(
    recordedPapers
      .parse(JSON.parse(readFileSync(path, 'utf8')))
      .map((record) => [record.arxiv_id.replace(/v\d+$/, ''), record]),
  );

  it.each(papers.map((paper) => [paper.id, paper] as const))(
    "%s states only recorded facts, in QuantShelf's own words",
    (id, paper) => {
      const record = records.get(id);
      if (record === undefined) throw new Error('it was never recorded');
      const primary = record.primary_category;
      expect(paper).toMatchObject({
        title: record.title,
        categories: [primary, ...record.categories.filter((category) => category !== primary)],
        published: record.published.slice(0, 10),
        pdfUrl: `https://arxiv.org/pdf/${record.arxiv_id}`,
      });
      // The recording splits some names in two.
      expect(paper.authors.join(' ')).toBe(record.authors.join(' '));
      const texts = [paper.digest, ...paper.sections.map(({ content }) => content)];
      const theirs = new Set([...phrasesOf(record.title), ...phrasesOf(record.abstract)]);
      expect(texts.flatMap(phrasesOf).filter((phrase) => theirs.has(phrase))).toEqual([]);
      const numbers = new Set(numbersOf(`${record.title}\n${record.abstract}`));
      expect(texts.flatMap(numbersOf).filter((number) => !numbers.has(number))).toEqual([]);
    },
  );
});
