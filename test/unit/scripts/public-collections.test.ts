import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CachedEmbedder } from '../../../scripts/eval/embed-cache.ts';
import { readPublicCollections } from '../../../scripts/eval/public.ts';
import { rankingTable } from '../../../scripts/eval/report.ts';
import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';

let shared: string;
beforeEach(() => {
  shared = mkdtempSync(join(tmpdir(), 'quantshelf-eval-'));
});
afterEach(() => rmSync(shared, { recursive: true }));

const DOCS = [
  { _id: 'MED-10', title: 'Snow', text: 'Snow falls in winter.' },
  { _id: 'MED-2', title: '', text: 'Tides follow the moon.' },
  { _id: 'empty', title: '', text: '' },
  { _id: 7, title: 'Bread', text: 'Bread rises with yeast.', metadata: {} },
];
const QUERIES = [
  { _id: 'PLAIN-1', text: 'winter snow' },
  { _id: 'PLAIN-2', text: 'tides and moon' },
  { _id: 'PLAIN-3', text: 'yeast in bread' },
  { _id: 'PLAIN-4', text: 'judged by nobody' },
];
const QRELS = [
  ['PLAIN-1', 'MED-10', 2],
  ['PLAIN-1', 'MED-2', 0],
  ['PLAIN-2', 'MED-2', 1],
  ['PLAIN-2', 'MED-404', 1],
  ['PLAIN-3', 7, 1],
] as const;

/** One direction per word, so that texts with a word in common are near. */
const embedder: CachedEmbedder = {
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS).fill(1e-3);
      for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
        const at = [...word].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0);
        vector[at % DIMENSIONS] = 1;
      }
      const length = Math.hypot(...vector);
      return vector.map((component) => component / length);
    }),
  isWord: async () => true,
  close: async () => {},
};

function write(path: string, lines: readonly string[]): void {
  const file = join(shared, 'data/retrieval', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
}

function writeTexts(folder: string): void {
  const lines = (all: readonly object[]) => all.map((one) => JSON.stringify(one));
  write(`${folder}/corpus.jsonl`, lines(DOCS));
  write(`${folder}/queries.jsonl`, lines(QUERIES));
}

it.each([
  [
    'a table with a header',
    'qrels/test.tsv',
    ['query-id\tcorpus-id\tscore', ...QRELS.map((cells) => cells.join('\t'))],
  ],
  [
    'the TREC form',
    'qrels.test.trec.txt',
    QRELS.map(([query, document, grade]) => `${query} 0 ${document} ${grade}`),
  ],
])('measures a folder whose judgements are in %s', async (_, path, lines) => {
  writeTexts('small');
  write(`small/${path}`, lines);
  write('notes/README.md', ['no collection']);
  const [collection, ...others] = await readPublicCollections(shared, 'test', embedder);
  if (collection === undefined) throw new Error('nothing was read');
  expect(others).toEqual([]);
  expect(collection.name).toBe('small, 4 documents');
  expect(collection.judged.map(({ query, grades }) => [query, Object.fromEntries(grades)])).toEqual(
    [
      ['winter snow', { 1: 2 }],
      ['tides and moon', { 2: 1 }],
      ['yeast in bread', { 4: 1 }],
    ],
  );
  const [title, ...rows] = await rankingTable(collection, 'test', embedder);
  expect(title).toMatch(/^small, 4 documents, test \(3\) +nDCG@10/);
  expect(rows.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ['lexical only', '1.000 (1.000..1.000)'],
    ['card vectors', '1.000 (1.000..1.000)'],
    ['card and passage vectors', '1.000 (1.000..1.000)'],
    ['hybrid', '1.000 (1.000..1.000)'],
    ['hybrid less lexical only', '+0.000 (0.000..0.000)'],
  ]);
});

it('holds a collection out of the train halves', async () => {
  writeTexts('small');
  write('small/qrels/test.tsv', ['query-id\tcorpus-id\tscore', 'PLAIN-1\tMED-10\t1']);
  write('small/qrels/train.tsv', ['query-id\tcorpus-id\tscore', 'PLAIN-2\tMED-2\t1']);
  expect(await readPublicCollections(shared, 'train', embedder)).toEqual([]);
});

it('says which file a collection lacks', async () => {
  writeTexts('small');
  await expect(readPublicCollections(shared, 'test', embedder)).rejects.toThrow(
    /small needs qrels\/test\.tsv or qrels\.test\.trec\.txt/,
  );
});

it('reads nothing where there is no evaluation data', async () => {
  expect(await readPublicCollections(join(shared, 'missing'), 'test', embedder)).toEqual([]);
});
