import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findModel, ModelFileError } from '../../../src/embedding/files.ts';
import { MODEL, MODEL_STAMP } from '../../../src/embedding/model.ts';
import { DIMENSIONS } from '../../../src/search/float32.ts';
import { REAL_MODELS } from './real-model.ts';
import { putTiny, TINY, TINY_CONTENTS } from './tiny-model.ts';

const WEIGHTS = 'onnx/weights.onnx_data';
const sizeOfWeights = TINY_CONTENTS[WEIGHTS]?.length ?? 0;
const otherWeights = Buffer.alloc(sizeOfWeights, 'nonsense ');

let base: string;
let home: string;
let modelDir: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'quantshelf-files-'));
  home = join(base, 'home');
  modelDir = join(base, 'given');
});

afterEach(() => rm(base, { recursive: true, force: true }));

const find = (given: string | undefined = undefined) =>
  findModel({ home, modelDir: given, model: TINY });

async function fault(given?: string): Promise<ModelFileError> {
  const error: unknown = await find(given).catch((e: unknown) => e);
  if (!(error instanceof ModelFileError)) throw new Error(`no ModelFileError but ${String(error)}`);
  return error;
}

describe('findModel', () => {
  it('finds nothing where nothing is', async () => {
    expect(await find()).toBeNull();
  });

  it('looks into the directory it is given before the home', async () => {
    const inHome = await putTiny(join(home, 'models'));
    expect(await find()).toBe(inHome);
    const given = await putTiny(modelDir);
    expect(await find(modelDir)).toBe(given);
  });

  it.each([
    ['missing', null],
    ['size', Buffer.from('<html>sign in</html>')],
    ['hash', otherWeights],
  ] as const)(
    'reports a copy with a file of the wrong %s and never uses it',
    async (problem, content) => {
      await putTiny(modelDir, { [WEIGHTS]: content });
      const error = await fault(modelDir);
      expect(error.problem).toBe(problem);
      expect(error.message).toMatch(/^QUANTSHELF_MODEL_DIR holds no intact copy /);
      expect(error.message).toContain(`: ${WEIGHTS} `);
      const inHome = await putTiny(join(home, 'models'));
      expect(await find(modelDir)).toBe(inHome);
    },
  );

  it('reports a given directory that does not hold the model at all', async () => {
    expect(await fault(modelDir)).toMatchObject({
      problem: 'missing',
      message: expect.stringContaining('config.json is missing'),
    });
  });
});

describe('the model', () => {
  it('has the stamp and the dimension of the store', () => {
    expect(MODEL_STAMP).toBe('onnx-community/all-MiniLM-L6-v2-ONNX@q4/mean');
    expect(MODEL.dimensions).toBe(DIMENSIONS);
  });

  it.skipIf(REAL_MODELS === undefined)('is listed as it really is', async () => {
    const found = await findModel({ home, modelDir: REAL_MODELS });
    expect(found).toContain(MODEL.id);
  });
});
