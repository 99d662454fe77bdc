import { readConfig } from '../../src/config.ts';
import { loadEmbedder } from '../../src/embedding/embedder.ts';
import { findModel } from '../../src/embedding/files.ts';
import { starterTexts } from './texts.ts';
import { digestText, writeStarterVectors } from './vectors.ts';

/** `npm run starter`: recomputes the committed vectors. Needs the model, unlike the build. */
const directory = await findModel(readConfig(process.env));
if (directory === null) {
  throw new Error('the model is missing: run `npm start -- model`, or set QUANTSHELF_MODEL_DIR');
}
const embedder = await loadEmbedder(directory, { threads: 2 });
const texts = starterTexts('data');
const vectors = await embedder.embed(texts.map(({ text }) => text));
const entries = texts.flatMap(({ key, text }, index) => {
  const vector = vectors[index];
  return vector === undefined ? [] : [[key, { textDigest: digestText(text), vector }] as const];
});
writeStarterVectors('data/starter/vectors.txt', {
  model: embedder.stamp,
  entries: new Map(entries),
});
await embedder.close();
process.stderr.write(`${entries.length} vectors of ${embedder.stamp}\n`);
