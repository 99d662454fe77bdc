import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { digestTexts } from '../../src/areas/papers/digest/digest.ts';
import { createSearchIndex, indexText, indexVectors } from '../../src/store/search/index.ts';
import { type Collection, type Judged, openInMemory } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';

/** Public collections for comparison, each a folder in BEIR's layout; see data/eval/README.md. */
const FOLDER = 'data/retrieval';
const CORPUS = 'corpus.jsonl';
const JUDGEMENTS = ['qrels/test.tsv', 'qrels.test.trec.txt'];
/** SciFact alone has it: the others are held out, and nothing is tuned on them. */
const TRAIN_CLAIMS = 'train-claims.csv';
const INDEX = { name: 'document', columns: { title: 3, abstract: 1 }, isProse: true };

const id = z.coerce.string();
const docLine = z.object({ _id: id, title: z.string().default(''), text: z.string() });
const queryLine = z.object({ _id: id, text: z.string() });

type Judgement = [query: string, document: string, grade: number];

/** The collections that have judgements of this half, each named by its folder. */
export async function readPublicCollections(
  shared: string,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<Collection[]> {
  const root = join(shared, FOLDER);
  const names = existsSync(root) ? readdirSync(root).sort() : [];
  const collections: Collection[] = [];
  for (const name of names.filter((name) => existsSync(join(root, name, CORPUS)))) {
    const folder = join(root, name);
    const judgements = half === 'test' ? readQrels(folder) : readTrainClaims(folder);
    if (judgements.length > 0)
      collections.push(await readCollection(folder, { name, half, judgements }, embedder));
  }
  return collections;
}

/** Stores the documents like papers, numbered from 1; one without text cannot be found. */
async function readCollection(
  folder: string,
  { name, half, judgements }: Pick<Judged, 'half'> & { name: string; judgements: Judgement[] },
  embedder: CachedEmbedder,
): Promise<Collection> {
  const docs = readLines(join(folder, CORPUS), docLine);
  const db = openInMemory();
  createSearchIndex(db, INDEX);
  const cards = await embedder.embed(docs.map(({ title, text }) => sentences(title, text)));
  const texts = docs.map(({ title, text }) => {
    const digest = digestTexts({ title, abstract: text });
    return [digest.title, ...digest.sentences].filter((one) => one !== '');
  });
  const flat = await embedder.embed(texts.flat());
  let position = 0;
  const vectors = docs.flatMap(({ title, text }, at) => {
    const count = texts[at]?.length ?? 0;
    const passages = flat.slice(position, position + count);
    position += count;
    const vector = cards[at];
    if (vector === undefined || count === 0) return [];
    indexText(db, INDEX, at + 1, { title, abstract: text });
    return [{ id: at + 1, vector, passages }];
  });
  indexVectors(db, INDEX, vectors);
  const numbers = new Map(docs.map(({ _id }, at) => [_id, at + 1]));
  const relevant = new Map<string, Map<number, number>>();
  for (const [query, document, grade] of judgements) {
    const number = numbers.get(document);
    const grades = relevant.get(query) ?? new Map<number, number>();
    if (number !== undefined) relevant.set(query, grades.set(number, grade));
  }
  return {
    name: `${name}, ${docs.length.toLocaleString('en')} documents`,
    db,
    index: INDEX,
    judged: readLines(join(folder, 'queries.jsonl'), queryLine).flatMap(({ _id, text }) => {
      const grades = relevant.get(_id);
      return grades === undefined ? [] : [{ query: text, half, grades }];
    }),
    notHeld: [],
  };
}

function sentences(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

function readLines<T>(path: string, schema: z.ZodType<T>): T[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

/** Each line is "query document grade" or "query 0 document grade"; a header has no grade. */
function readQrels(folder: string): Judgement[] {
  const path = JUDGEMENTS.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (path === undefined) throw new Error(`${folder} needs ${JUDGEMENTS.join(' or ')}`);
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const cells = line.trim().split(/\s+/);
      const [query = '', document = '', grade] = cells.length > 3 ? cells.toSpliced(1, 1) : cells;
      return Number(grade) > 0 ? [[query, document, Number(grade)]] : [];
    });
}

/** The id comes first and the list of cited documents last; the claim between may contain commas. */
function readTrainClaims(folder: string): Judgement[] {
  const path = join(folder, TRAIN_CLAIMS);
  if (!existsSync(path)) return [];
  const claims = readFileSync(path, 'utf8').trim().split('\n').slice(1);
  return claims.flatMap((line) => {
    const [query = ''] = line.split(',');
    const [, cited = ''] = /\[([\d, ]*)\]"?\s*$/.exec(line) ?? [];
    return (cited.match(/\d+/g) ?? []).map((document): Judgement => [query, document, 1]);
  });
}
