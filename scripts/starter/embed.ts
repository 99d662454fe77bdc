import { loadEmbedder } from '../../src/embedding/embedder.ts';
import { MODEL_STAMP } from '../../src/embedding/pinned.ts';
import { findModelIn, suppliedModels } from '../model.ts';
import { starterTexts } from './compile.ts';
import { digestText, writeStarterVectors } from './vectors.ts';

/** `npm run starter`: recomputes the committed vectors. Unlike building, this needs the model. */
const files = await findModelIn(suppliedModels());
if (files === null) {
  throw new Error('the model is missing: set QUANTSHELF_MODEL_DIR to a directory that has it');
}
const embedder = await loadEmbedder(files, { threads: 2 });
const texts = starterTexts('data');
const vectors = await embedder.embed(texts.map(({ text }) => text));
const entries = texts.flatMap(({ key, text }, index) => {
  const vector = vectors[index];
  return vector === undefined ? [] : [[key, { textDigest: digestText(text), vector }] as const];
});
writeStarterVectors('data/starter/vectors.txt', {
  model: MODEL_STAMP,
  entries: new Map(entries),
});
await embedder.close();
process.stderr.write(`${entries.length} vectors of ${MODEL_STAMP}\n`);
