import { loadEmbedder } from '../../../src/embedding/embedder.ts';
import { unpackVectors } from '../../../src/store/search/vectors/float32.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { readQuestions as readJudged } from '../../eval/questions.ts';
import { findModelIn } from '../../model.ts';
import { pick, seeded } from './random.ts';
import type { Material } from './store.ts';
import { vectorSeries } from './vectors.ts';
import { makeVocabulary, type Vocabulary } from './words.ts';

/** A query with its vector. */
export interface Asked {
  text: string;
  vector: Float32Array;
}

/** Input of the search benchmark. */
export interface SearchMaterial extends Material {
  /** Origin of the vectors and queries, on one line. */
  origin: string;
  /** The judged queries on papers. */
  asked: readonly Asked[];
  /** Queries of rare words only, and of common words only. */
  rare: readonly string[];
  common: readonly string[];
}

const SEED = 20_260_501;
const STARTER = 'dist/starter.sqlite';

export async function gatherMaterial(
  modelDir: string | null,
  queries: number,
): Promise<SearchMaterial> {
  const texts = readQuestions(queries);
  const starter = new Database(STARTER, { readonly: true, fileMustExist: true });
  const real = readStarterVectors(starter);
  const vocabulary = makeVocabulary(starter, SEED);
  starter.close();
  const vectors =
    modelDir === null
      ? texts.map((_, index) => vectorSeries(real, SEED + 1)(real.length + index))
      : await embed(modelDir, texts);
  const how = modelDir === null ? 'synthetic query vectors' : 'real queries';
  return {
    origin: `${real.length.toLocaleString('en-US')} vectors of the starter shelf, then mixes of two with noise; ${how}`,
    series: vectorSeries(real, SEED),
    vocabulary,
    asked: texts.map((text, index) => ({ text, vector: vectors[index] ?? new Float32Array() })),
    rare: drawQuestions(vocabulary, 'rare', queries),
    common: drawQuestions(vocabulary, 'common', queries),
  };
}

/** Queries taken evenly, so that their kinds are mixed. */
function readQuestions(queries: number): string[] {
  const all = readJudged().find(({ name }) => name === 'papers: topics')?.questions ?? [];
  const step = Math.max(1, Math.floor(all.length / queries));
  return all
    .filter((_, index) => index % step === 0)
    .map(({ query }) => query)
    .slice(0, queries);
}

/** Vectors of sections, as the model returned them. */
function readStarterVectors(starter: Database.Database): Float32Array[] {
  return starter
    .prepare<[], Buffer>('SELECT embedding FROM paper_section WHERE embedding IS NOT NULL')
    .pluck()
    .all()
    .flatMap(unpackVectors);
}

async function embed(modelDir: string, texts: readonly string[]): Promise<Float32Array[]> {
  const files = await findModelIn(modelDir);
  if (files === null) throw new Error('there is no model in the directory given');
  const embedder = await loadEmbedder(files, { threads: 2 });
  const vectors = await embedder.embed(texts);
  await embedder.close();
  return vectors;
}

function drawQuestions(vocabulary: Vocabulary, kind: 'rare' | 'common', queries: number): string[] {
  const random = seeded(SEED + 2);
  return Array.from({ length: queries }, () => {
    const count = 2 + Math.floor(random() * 4);
    return Array.from({ length: count }, () => pick(vocabulary[kind], random)).join(' ');
  });
}
