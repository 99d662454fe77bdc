import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getDocumentProxy } from 'unpdf';
import { expect, it } from 'vitest';
import { readPdf } from '../../../src/areas/papers/full-text/pdf/pdf.ts';
import type { TextSection } from '../../../src/areas/papers/full-text/sections/sections.ts';
import { describeShared } from '../../shared.ts';
import { outlineOf } from './readings.ts';

const bytesOf = (path: string) => new Uint8Array(readFileSync(path));

async function readSections(path: string): Promise<TextSection[]> {
  const result = await readPdf(bytesOf(path));
  return result.ok ? result.sections : [];
}

const textOf = (sections: readonly TextSection[]) =>
  sections.map(({ content }) => content).join('\n\n');

const numbersOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Each numbered item that a paper must have once, and what it must leave out. */
const PAPERS = [
  {
    name: '2503.08696',
    numbered: [
      [/^Table (\d+):/gm, 13],
      [/^Figure (\d+):/gm, 5],
      [/^- \[(\d+)\]/gm, 11],
    ],
    leftOut: /arXiv:2503\.08696|^\d{1,2}$|Preprint for/m,
  },
  {
    name: 'N18-3011',
    numbered: [
      [/^\*\*Table (\d+):\*\*/gm, 4],
      [/^\*\*Figure (\d+):\*\*/gm, 1],
      [/^(\d+) \S/gm, 15],
    ],
    leftOut: /^(?:8[4-9]|9[01])$|Proceedings of NAACL|New Orleans/m,
  },
] as const;

describeShared('the recorded PDF', 'data/papers/pdf', (directory) => {
  it.each(PAPERS)(
    '$name yields the approved outline, with each numbered item once',
    async ({ name, numbered, leftOut }) => {
      const sections = await readSections(join(directory, `${name}.pdf`));
      const text = textOf(sections);
      for (const [pattern, count] of numbered) {
        expect(numbersOf(text, pattern)).toEqual(upTo(count));
      }
      // Each table has a fence before and after it.
      expect(text.match(/^```$/gm)).toHaveLength(2 * numbered[0][1]);
      expect(text).not.toMatch(leftOut);
      expect(text).not.toMatch(/\p{Ll}- (?!and )\p{Ll}/u);
      expect(text).not.toMatch(/[\ufb00-\ufb06]|(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
      expect(text).toBe(text.normalize('NFC'));
      const outline = `${outlineOf(sections).join('\n')}\n`;
      await expect(outline).toMatchFileSnapshot(`goldens/pdf-${name}.txt`);
    },
  );
});

/** All sequences of three words. */
function sequencesOf(text: string): string[] {
  const joined = text.replace(/(\p{L})-\s+(?=\p{Ll})/gu, '$1');
  const words = joined.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(2).map((word, at) => `${words[at]} ${words[at + 1]} ${word}`);
}

/** The share of a page's word sequences, in file order, that the result contains. */
async function shareOf(path: string, page: number, isIn: (y: number) => boolean) {
  const document = await getDocumentProxy(bytesOf(path));
  const { items } = await (await document.getPage(page)).getTextContent();
  const drawn = items.flatMap((item) => {
    return 'str' in item && isIn(item.transform[5]) ? [item.str, item.hasEOL ? '\n' : ''] : [];
  });
  const sequences = sequencesOf(drawn.join(''));
  const read = new Set(sequencesOf(textOf(await readSections(path))));
  expect(sequences.length).toBeGreaterThan(300);
  return sequences.filter((one) => read.has(one)).length / sequences.length;
}

describeShared(
  'two columns below a wide figure',
  'data/papers/pdf/2023.eacl-main.121.pdf',
  (path) => {
    it('are read one after the other, without mixing lines', async () => {
      expect(await shareOf(path, 2, (y) => y < 575)).toBeGreaterThan(0.94);
    });
  },
);

describeShared('text beside figures', 'data/papers/pdf/futoma2017.pdf', (path) => {
  it('contains no words from the figures', async () => {
    expect(await shareOf(path, 4, () => true)).toBeGreaterThan(0.9);
    const text = textOf(await readSections(path));
    expect(text).not.toMatch(/: Lab 1|Model Example|RNN params/);
    expect(numbersOf(text, /^Figure (\d+):/gm)).toEqual(upTo(5));
    expect(text.match(/^### 3\.1 .*$/m)).toHaveLength(1);
  });
});
