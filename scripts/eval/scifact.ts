import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { digestTexts } from '../../src/areas/papers/digest/digest.ts';
import { createSearchIndex, indexText, indexVectors } from '../../src/store/search/index.ts';
import { type Collection, type Judged, openInMemory } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';

/** SciFact: scientific claims and the abstracts that support or refute them. */
const FOLDER = 'data/retrieval/scifact';
const INDEX = { name: 'scifact', columns: { title: 3, abstract: 1 }, isProse: true };

const docLine = z.object({ _id: z.string(), title: z.string(), text: z.string() });
const queryLine = z.object({ _id: z.string(), text: z.string() });

/** Stored like papers; null if it is not available. */
export async function readScifact(
  shared: string,
  embedder: CachedEmbedder,
): Promise<Collection | null> {
  const folder = join(shared, FOLDER);
  if (!existsSync(folder)) return null;
  const docs = readLines(join(folder, 'corpus.jsonl'), docLine);
  const db = openInMemory();
  createSearchIndex(db, INDEX);
  const cards = await embedder.embed(docs.map(({ title, text }) => sentences(title, text)));
  const texts = docs.map(({ title, text }) => digestTexts({ title, abstract: text }));
  const flat = await embedder.embed(texts.flatMap((one) => [one.title, ...one.sentences]));
  let position = 0;
  const vectors = docs.flatMap(({ _id, title, text }, index) => {
    indexText(db, INDEX, Number(_id), { title, abstract: text });
    const count = 1 + (texts[index]?.sentences.length ?? 0);
    const passages = flat.slice(position, position + count);
    position += count;
    const vector = cards[index];
    return vector === undefined ? [] : [{ id: Number(_id), vector, passages }];
  });
  indexVectors(db, INDEX, vectors);
  const known = new Set(docs.map(({ _id }) => Number(_id)));
  const test = readTestJudgements(join(folder, 'qrels.test.trec.txt'));
  const train = readTrainClaims(join(folder, 'train-claims.csv'));
  const judged = readLines(join(folder, 'queries.jsonl'), queryLine).flatMap(({ _id, text }) => {
    const half: Judged['half'] = test.has(_id) ? 'test' : 'train';
    const ids = ((half === 'test' ? test : train).get(_id) ?? []).filter((id) => known.has(id));
    const grades = new Map(ids.map((id) => [id, 1]));
    return grades.size === 0 ? [] : [{ query: text, half, grades }];
  });
  return {
    name: `SciFact, ${docs.length.toLocaleString('en')} abstracts`,
    db,
    index: INDEX,
    judged,
    notHeld: [],
  };
}

function sentences(...parts: readonly string[]): string {
  return parts.map((part) => (/[.!?]$/.test(part) ? part : `${part}.`)).join(' ');
}

function readLines<T>(path: string, schema: z.ZodType<T>): T[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

/** Each line is "query 0 document grade". */
function readTestJudgements(path: string): Map<string, number[]> {
  const judgements = new Map<string, number[]>();
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const [query = '', , document] = line.split(/\s+/);
    judgements.set(query, [...(judgements.get(query) ?? []), Number(document)]);
  }
  return judgements;
}

/** The id comes first and the list of cited documents last; the claim between may contain commas. */
function readTrainClaims(path: string): Map<string, number[]> {
  const claims = new Map<string, number[]>();
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
    const [query = ''] = line.split(',');
    const [, cited = ''] = /\[([\d, ]*)\]"?\s*$/.exec(line) ?? [];
    const ids = cited.split(',').filter((part) => part.trim() !== '');
    claims.set(query, [...(claims.get(query) ?? []), ...ids.map(Number)]);
  }
  return claims;
}
