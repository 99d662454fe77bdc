import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CONTENTS,
  findRuntime,
  modelDirectory,
  runtimeDirectory,
} from '../../src/embedding/files.ts';
import { makeHome, modelDir, quantshelf, success } from './support.ts';

const installed = (await findRuntime({ home: makeHome(), modelDir: undefined })) !== null;

/** A models directory with the real model and a runtime that consists of `files`. */
function makeModels(files: Readonly<Record<string, string>>): string {
  const root = makeHome();
  symlinkSync(dirname(modelDirectory(modelDir ?? '')), dirname(modelDirectory(root)), 'junction');
  const runtime = runtimeDirectory(root);
  const contents = Object.entries(files).map(([path, text]) => {
    const file = join(runtime, 'node_modules', 'onnxruntime-node', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    return {
      path: `node_modules/onnxruntime-node/${path}`,
      bytes: Buffer.byteLength(text),
      sha256,
    };
  });
  if (contents.length > 0) writeFileSync(join(runtime, CONTENTS), JSON.stringify(contents));
  return root;
}

describe.skipIf(modelDir === null || installed)('a model that search cannot use', () => {
  it.each([
    [
      'has no runtime',
      {},
      /ONNX Runtime, which runs the model, is missing or damaged/,
      /QUANTSHELF_OFFLINE/,
      'Lexical search only: the embedding model is not on this machine',
    ],
    [
      'has one that does not load',
      { 'package.json': '{}', 'index.js': "throw new Error('no such symbol\\n  in here');" },
      /cannot be loaded \(no such symbol\), so search is lexical only/,
      /cannot be loaded \(no such symbol\)/,
      'Lexical search only: the embedding model could not be loaded',
    ],
  ])('and %s is called ready by nobody', async (_, files, fault, refusal, notice) => {
    const env = { QUANTSHELF_MODEL_DIR: makeModels(files) };
    const home = makeHome();
    const doctor = await quantshelf(['doctor', '--json'], home, env);
    const checks: { name: string }[] = JSON.parse(doctor.stdout).checks;
    expect(checks.find(({ name }) => name === 'model')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(fault),
    });
    const model = await quantshelf(['model'], home, env);
    expect(model).toMatchObject({ code: 1, stdout: '' });
    expect(model.stderr).toMatch(refusal);
    expect(model.stderr.trim().split('\n')).toHaveLength(1);
    const status = await quantshelf(['status', '--json'], home, env);
    expect(JSON.parse(status.stdout).model.present).toBe(false);
    const search = await quantshelf(['call', 'paper_search', '{"query": "momentum"}'], home, env);
    expect(success.parse(JSON.parse(search.stdout)).meta.notice).toContain(notice);
  });
});

it.skipIf(modelDir === null)('a model that search can use is called ready, and used', async () => {
  const env = { QUANTSHELF_MODEL_DIR: modelDir ?? '' };
  const home = makeHome();
  const model = await quantshelf(['model', '--json'], home, env);
  expect(model).toMatchObject({ code: 0, stderr: '' });
  const status = await quantshelf(['status', '--json'], home, env);
  expect(JSON.parse(status.stdout).model.present).toBe(true);
  const search = await quantshelf(['call', 'paper_search', '{"query": "momentum"}'], home, env);
  expect(search.stdout).not.toContain('Lexical search only');
});
