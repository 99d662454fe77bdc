import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { findModel } from '../../../src/embedding/files.ts';
import { MODEL, MODEL_STAMP, RUNTIME } from '../../../src/embedding/pinned.ts';
import { DIMENSIONS } from '../../../src/search/vectors.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { putTiny, TINY, TINY_CONTENTS } from './tiny-model.ts';

const WEIGHTS = 'onnx/weights.onnx_data';
const otherWeights = Buffer.alloc(TINY_CONTENTS[WEIGHTS]?.length ?? 0, 'nonsense ');

let home: string;
let modelDir: string;

beforeEach(() => {
  const base = temporaryDirectory();
  home = join(base, 'home');
  modelDir = join(base, 'models');
});

const find = (directory?: string) => findModel({ home, modelDir: directory, model: TINY });

it('the model is looked up in QUANTSHELF_MODEL_DIR first, then in the data directory', async () => {
  expect(await find()).toBeNull();
  await expect(find(modelDir)).rejects.toThrow('QUANTSHELF_MODEL_DIR contains no intact copy');
  const inHome = await putTiny(join(home, 'models'));
  expect(await find()).toBe(inHome);
  const named = await putTiny(modelDir);
  expect(await find(modelDir)).toBe(named);
});

it.each([
  ['is missing', null],
  ['has the wrong size', Buffer.from('<html>sign in</html>')],
  ['has the wrong sha256', otherWeights],
])('a copy of the model is passed over or reported if a file %s', async (problem, content) => {
  await putTiny(modelDir, { [WEIGHTS]: content });
  await expect(find(modelDir)).rejects.toThrow(
    `QUANTSHELF_MODEL_DIR contains no intact copy of the model: ${WEIGHTS} ${problem}.`,
  );
  const inHome = await putTiny(join(home, 'models'));
  expect(await find(modelDir)).toBe(inHome);
});

it('the pinned model matches the stamp recorded in stores and the dimensions of their vectors', () => {
  expect(MODEL_STAMP).toBe('onnx-community/all-MiniLM-L6-v2-ONNX@q4/mean');
  expect(MODEL.dimensions).toBe(DIMENSIONS);
});

it('the pinned runtime has the versions of the installed transformer library', async () => {
  const path = 'node_modules/@huggingface/transformers/package.json';
  const { version, dependencies } = JSON.parse(await readFile(path, 'utf8'));
  const pinned = Object.fromEntries(
    RUNTIME.packages.map((each) => [each.alias ?? each.name, each.version]),
  );
  expect(pinned).toMatchObject({
    '@huggingface/transformers': version,
    'onnxruntime-node': dependencies['onnxruntime-node'],
    'onnxruntime-common': dependencies['onnxruntime-node'],
  });
  expect(RUNTIME.version).toBe(version);
});
