import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractText, getDocumentProxy } from 'unpdf';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../../src/areas/papers/full-text/pdf/pdf.ts';
import type { TextSection } from '../../../src/areas/papers/full-text/sections/sections.ts';
import { codePoints } from '../../../src/core/fields.ts';
import { describeShared } from '../../shared.ts';

/** Key, type, title, length in code points and hash of each section. */
type Outline = [string, string, string, number, string][];

const ONE_COLUMN: Outline = [
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
    3810,
    '4add68c6afc5c4862f6e264fc6ca94649be45400ef9f133b4f40e55a32005286',
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
    '7d52843ad935d7b802e688e988c62ca7056eb967d9222ba5b073965c1e2e6600',
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

const TWO_COLUMNS: Outline = [
  [
    'abstract',
    'abstract',
    'Abstract',
    697,
    '818b0ddfc0bf51458d525d72a8c1530f6747e37fc1beb2a5838734e348507aaf',
  ],
  [
    's01-introduction',
    'introduction',
    'Introduction',
    2621,
    'f2932e79d6ea463fd9066a9bbaf2c0072f07ecb634e643de280828536f718866',
  ],
  [
    's02-structure-of-the-literature-graph',
    'other',
    'Structure of The Literature Graph',
    3199,
    'bbf3672d559affeeff461a148f4d6355af2cb509982a5fcfc0fbdb2676112516',
  ],
  [
    's03-extracting-metadata',
    'other',
    'Extracting Metadata',
    5368,
    '8b0fc33959a5426a20a30286a93bc84ecc32133670316d150b8b60ec1a78b848',
  ],
  [
    's04-entity-extraction-and-linking',
    'other',
    'Entity Extraction and Linking',
    11114,
    '97e52ffc78abfaa703a7468d7029d0ac0c5f5d50e32a1756540772481f137a39',
  ],
  [
    's05-other-research-problems',
    'other',
    'Other Research Problems',
    4701,
    'ff2e3e4ba75b1882877ef9f095cf5c9521613c157ab871267f0a460272450cd0',
  ],
  [
    's06-conclusion-and-future-work',
    'conclusion',
    'Conclusion and Future Work',
    1430,
    'd60617ec904865e4991c04ec085fb6ee361a2a1234007f28fc5251cd3b49811e',
  ],
  [
    'references',
    'references',
    'References',
    4350,
    'fe0b96e8a6d8497526a162ae7ce4c23222a7628613c352d7b40e4490127e78e0',
  ],
];

const bytesOf = (path: string) => new Uint8Array(readFileSync(path));

async function readSections(path: string): Promise<TextSection[]> {
  const reading = await readPdf(bytesOf(path));
  return reading.ok ? reading.sections : [];
}

const textOf = (sections: readonly TextSection[]) =>
  sections.map(({ content }) => content).join('\n\n');

const outlineOf = (sections: readonly TextSection[]): Outline =>
  sections.map(({ key, type, title, content }) => {
    const hash = createHash('sha256').update(content).digest('hex');
    return [key, type, title, codePoints(content), hash];
  });

const numbersOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describeShared('a recorded paper', 'data/papers/pdf', (directory) => {
  let sections: TextSection[] = [];
  let text = '';

  beforeAll(async () => {
    sections = await readSections(join(directory, '2503.08696.pdf'));
    text = textOf(sections);
  });

  it('has its sections', () => {
    expect(outlineOf(sections)).toEqual(ONE_COLUMN);
  });

  it('has its subheadings', () => {
    expect(text.match(/^#+ .*$/gm)).toEqual([
      '### 3.1 The Single-Modality Approach',
      '### 3.2 The Dual-Modality Approach',
      '### 4.1 The Single-Modality Approach Performance',
      '### 4.2 The Dual-Modality Approach Performance',
    ]);
  });

  it('has all tables, figures and references, each once', () => {
    expect(numbersOf(text, /^Table (\d+):/gm)).toEqual(upTo(13));
    expect(numbersOf(text, /^Figure (\d+):/gm)).toEqual(upTo(5));
    expect(numbersOf(text, /^- \[(\d+)\]/gm)).toEqual(upTo(11));
    expect(text.match(/^```$/gm)).toHaveLength(26);
  });

  describe('drops everything but text:', () => {
    it('the stamp, page numbers and hyphenation', () => {
      expect(text.match(/arXiv:2503\.08696/)).toBeNull();
      expect(text.match(/^\d{1,2}$/m)).toBeNull();
      expect(text.match(/\p{Ll}- (?!and )\p{Ll}/u)).toBeNull();
    });

    it('the foot of the first page', () => {
      expect(text).not.toMatch(/Preprint for/);
    });

    it('ligatures and invisible characters', () => {
      expect(text.match(/[\ufb00-\ufb06]|(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u)).toBeNull();
      expect(text === text.normalize('NFC')).toBe(true);
    });
  });
});

describeShared('a recorded paper of two columns', 'data/papers/pdf/N18-3011.pdf', (path) => {
  let sections: TextSection[] = [];
  let text = '';

  beforeAll(async () => {
    sections = await readSections(path);
    text = textOf(sections);
  });

  it('has its eight sections', () => {
    expect(outlineOf(sections)).toEqual(TWO_COLUMNS);
  });

  it('has its subheadings', () => {
    expect(text.match(/^#+ .*$/gm)).toEqual([
      '### 2.1 Node Types',
      '### 2.2 Edge Types',
      '### 4.1 Approaches',
      '### 4.2 Entity Extraction Models',
      '### 4.3 Knowledge Bases',
      '### 4.4 Entity Linking Models',
    ]);
  });

  it('has its tables, its figure and its notes, each once', () => {
    expect(numbersOf(text, /^\*\*Table (\d+):\*\*/gm)).toEqual(upTo(4));
    expect(numbersOf(text, /^\*\*Figure (\d+):\*\*/gm)).toEqual([1]);
    expect(text.match(/^```$/gm)).toHaveLength(8);
    expect(numbersOf(text, /^(\d+) \S/gm)).toEqual(upTo(15));
  });

  it('has its references, in alphabetical order', () => {
    const works = sections.at(-1)?.content.split('\n') ?? [];
    expect(works).toHaveLength(27);
    const names = works.map((work) => /(\S+?)(?:,|\. \d{4}| and )/.exec(work)?.[1]);
    expect([names[0], names.at(-1)]).toEqual(['Ammar', 'Xiong']);
    expect(names).toEqual([...names].sort());
    for (const work of works) expect(work.match(/\. (?:19|20)\d\d\. /g)).toHaveLength(1);
  });

  it('has neither page numbers nor the foot of the first page', () => {
    expect(text.match(/^(?:8[4-9]|9[01])$/m)).toBeNull();
    expect(text).not.toMatch(/Proceedings of NAACL|New Orleans/);
  });

  it('keeps the order in which the file draws the words', async () => {
    const drawn = await extractText(await getDocumentProxy(bytesOf(path)), { mergePages: true });
    const order = orderOf(drawn.text);
    const places = [...orderOf(text).keys()].flatMap((word) => order.get(word) ?? []);
    const back = places.filter((place, at) => place < (places[at - 1] ?? 0)).length;
    expect(places.length).toBeGreaterThan(600);
    // Figures, tables and notes follow the paragraph that they interrupt.
    expect(back).toBeLessThan(0.02 * places.length);
  });
});

/** The position of each word that occurs only once in a text. */
function orderOf(text: string): Map<string, number> {
  const places = new Map<string, number>();
  const words = text.match(/\p{L}{4,}/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  words.forEach((word, at) => {
    if (counts.get(word) === 1) places.set(word, at);
  });
  return places;
}

/** Runs of three words. */
function sequencesOf(text: string): string[] {
  const joined = text.replace(/(\p{L})-\s+(?=\p{Ll})/gu, '$1');
  const words = joined.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(2).map((word, at) => `${words[at]} ${words[at + 1]} ${word}`);
}

/** The share of the word sequences of one page, in the order of the file, that a reading has. */
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
    it('are read one after the other', async () => {
      expect(await shareOf(path, 2, (y) => y < 575)).toBeGreaterThan(0.94);
    });
  },
);

describeShared('text beside figures', 'data/papers/pdf/futoma2017.pdf', (path) => {
  it('has none of their words in its sentences', async () => {
    expect(await shareOf(path, 4, () => true)).toBeGreaterThan(0.9);
    const text = textOf(await readSections(path));
    expect(text).not.toMatch(/: Lab 1|Model Example|RNN params/);
    expect(numbersOf(text, /^Figure (\d+):/gm)).toEqual(upTo(5));
    expect(text.match(/^### 3\.1 .*$/m)).toHaveLength(1);
  });
});

describeShared('made pages with a number in the gutter', 'data/papers/pdf/gutter', (directory) => {
  it.each(['none', 'one', 'two', 'four'])('are read column by column: %s', async (name) => {
    const text = textOf(await readSections(join(directory, `${name}.pdf`)));
    const marks = [...text.matchAll(/([12])x(\d+)/g)].map(([, column, line]) => [
      Number(column),
      Number(line),
    ]);
    // Three pages of two columns, each from top to bottom.
    const columns = marks.filter(([, line], at) => (line ?? 0) <= (marks[at - 1]?.[1] ?? 99));
    expect(columns.map(([column]) => column)).toEqual([1, 2, 1, 2, 1, 2]);
    expect(marks).toHaveLength(205);
  });
});
