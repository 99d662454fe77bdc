import { mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findModel, ModelFileError } from '../../../src/embedding/files.ts';
import { MODEL, MODEL_STAMP } from '../../../src/embedding/model.ts';
import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
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

  it('hashes a verified copy again only when a file has changed', async () => {
    const directory = await putTiny(modelDir);
    const path = join(directory, WEIGHTS);
    const { atime, mtime } = await stat(path);
    await utimes(path, atime, new Date(Math.floor(mtime.getTime() / 1000) * 1000));
    const kept = await stat(path);
    expect(await find(modelDir)).toBe(directory);

    // Forged in place, down to the time: what only hashing would find proves that none was done.
    await writeFile(path, otherWeights);
    await utimes(path, kept.atime, kept.mtime);
    expect(await find(modelDir)).toBe(directory);

    await utimes(path, kept.atime, new Date(kept.mtimeMs + 5_000));
    expect((await fault(modelDir)).problem).toBe('hash');
    await utimes(path, kept.atime, kept.mtime);
    await writeFile(`${path}.new`, otherWeights);
    await utimes(`${path}.new`, kept.atime, kept.mtime);
    await rename(`${path}.new`, path);
    expect((await fault(modelDir)).problem).toBe('hash');
  });

  it('does not believe a note about other hashes, nor one that is no note', async () => {
    const directory = await putTiny(modelDir);
    expect(await find(modelDir)).toBe(directory);
    const note = join(home, 'models', 'verified.json');
    expect(JSON.parse(await readFile(note, 'utf8'))).toMatchObject({ directory });
    const [first, ...rest] = TINY.files;
    if (first === undefined) throw new Error('the tiny model has no file');
    const changed = { ...TINY, files: [{ ...first, sha256: 'f'.repeat(64) }, ...rest] };
    await expect(findModel({ home, modelDir, model: changed })).rejects.toMatchObject({
      problem: 'hash',
    });
    await writeFile(note, '{"directory": 7');
    expect(await find(modelDir)).toBe(directory);
  });

  it('works with a home that cannot be written to', async () => {
    const directory = await putTiny(modelDir);
    await writeFile(home, 'a file, not a directory');
    expect(await find(modelDir)).toBe(directory);
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
