import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../../../src/areas/papers/full-text/pdf.ts';
import type { TextSection } from '../../../../src/areas/papers/full-text/sections.ts';
import { codePoints } from '../../../../src/core/fields.ts';
import { describeShared } from '../../../shared.ts';

/** Key, type, title, length in code points and hash of each section. */
const SECTIONS = [
  [
    'abstract',
    'abstract',
    'Abstract',
    1711,
    '199d3e77cc719d5dda86c9fd04a742be0bdbdb82b4e9be40fe1072c49c8c1131',
  ],
  [
    's01-introduction',
    'introduction',
    'Introduction',
    3879,
    '86cc5989e43dedba12c526d7559010fbc6b3ff13096c7de20c1d6319754ce9a1',
  ],
  [
    's02-data-collection-and-structuring',
    'data',
    'Data Collection and Structuring',
    5966,
    'eba3c5a9df82bb2b1e68dee938d912dfd89d64eccf83c7a3f7b660d916b1b429',
  ],
  [
    's03-methodology',
    'methods',
    'Methodology',
    13379,
    'c55231d0cafea15dcdf8da3e43c3c5a43e68c66bb2abdb69bc166cb62a952f1c',
  ],
  [
    's04-experiment',
    'results',
    'Experiment',
    3313,
    'e81e49951c4b4f3eb93a26a593377183e0ca09fe7d9a5356d1e5bba28db8fc82',
  ],
  [
    's05-discussion-and-conclusion',
    'conclusion',
    'Discussion and Conclusion',
    4317,
    '6712d9f9b31770125990ec18beb0cbc88d7fb3307c2c94cd7dc955f62f721588',
  ],
  [
    's06-acknowledgments',
    'acknowledgements',
    'Acknowledgments',
    4241,
    '5361d2acc7bf65d5c2b6f2855faa62789336a3e1618fbe44b8f8bc0b175ca5d9',
  ],
  [
    'references',
    'references',
    'References',
    2060,
    '9d7c83a11ac6a4c0e0f5b3dc909443d26df4605aab7910a9c15d4e381b1ca416',
  ],
];

describeShared('a recorded paper', 'data/papers/pdf', (directory) => {
  let sections: TextSection[] = [];
  let text = '';

  beforeAll(async () => {
    const reading = await readPdf(new Uint8Array(readFileSync(join(directory, '2503.08696.pdf'))));
    sections = reading.ok ? reading.sections : [];
    text = sections.map(({ content }) => content).join('\n\n');
  });

  it('has its sections', () => {
    const found = sections.map(({ key, type, title, content }) => {
      const hash = createHash('sha256').update(content).digest('hex');
      return [key, type, title, codePoints(content), hash];
    });
    expect(found).toEqual(SECTIONS);
  });

  it('has its headings inside', () => {
    expect(text.match(/^#+ .*$/gm)).toEqual([
      '### 3.1 The Single-Modality Approach',
      '### 3.2 The Dual-Modality Approach',
      '### 4.1 The Single-Modality Approach Performance',
      '### 4.2 The Dual-Modality Approach Performance',
    ]);
  });

  it('has all its tables, figures and works, each once', () => {
    const numbersOf = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, n]) => Number(n));
    const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
    expect(numbersOf(/^Table (\d+):/gm)).toEqual(upTo(13));
    expect(numbersOf(/^Figure (\d+):/gm)).toEqual(upTo(5));
    expect(numbersOf(/^- \[(\d+)\]/gm)).toEqual(upTo(11));
    expect(text.match(/^```$/gm)).toHaveLength(26);
  });

  describe('has nothing that is not text:', () => {
    it('no stamp, no page numbers, no divided words', () => {
      expect(text.match(/arXiv:2503\.08696/)).toBeNull();
      expect(text.match(/^\d{1,2}$/m)).toBeNull();
      expect(text.match(/\p{Ll}- (?!and )\p{Ll}/u)).toBeNull();
    });

    it('no ligatures and no hidden characters', () => {
      expect(text.match(/[\ufb00-\ufb06]|(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u)).toBeNull();
      expect(text === text.normalize('NFC')).toBe(true);
    });
  });
});
