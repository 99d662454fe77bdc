import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRuntime, modelDirectory, runtimeDirectory } from '../../src/embedding/files.ts';
import { makeHome, modelDir, quantshelf, success } from './support.ts';

const installed = (await findRuntime({ home: makeHome(), modelDir: undefined })) !== null;

/** A models directory with the real model, and with its runtime if that is asked for. */
function makeModels({ withRuntime }: { withRuntime: boolean }): string {
  const root = makeHome();
  const link = (find: (root: string) => string) =>
    symlinkSync(find(modelDir ?? ''), find(root), 'junction');
  link((from) => dirname(modelDirectory(from)));
  if (withRuntime) link(runtimeDirectory);
  return root;
}

/** As where a system library is missing. */
const UNLOADABLE = `
  const { dlopen } = process;
  process.dlopen = (module, path, ...flags) => {
    if (/onnxruntime/.test(path)) throw new Error('no such symbol\\n  in here');
    return dlopen.call(process, module, path, ...flags);
  };`;

describe.skipIf(modelDir === null || installed)('a model that search cannot use', () => {
  it.each([
    [
      'has no runtime',
      { withRuntime: false },
      {},
      /ONNX Runtime, which runs the model, is missing or damaged/,
      /QUANTSHELF_OFFLINE/,
      'Lexical search only: the embedding model is not on this machine',
    ],
    [
      'has one that does not load',
      { withRuntime: true },
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(UNLOADABLE)}` },
      /cannot be loaded \(no such symbol\), so search is lexical only/,
      /cannot be loaded \(no such symbol\)/,
      'Lexical search only: the embedding model could not be loaded',
    ],
  ])('and %s is called ready by nobody', async (_, content, change, fault, refusal, notice) => {
    const env = { QUANTSHELF_MODEL_DIR: makeModels(content), ...change };
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
