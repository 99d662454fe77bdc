import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { findRuntime, modelDirectory } from '../../src/embedding/files.ts';
import { MODEL } from '../../src/embedding/pinned.ts';
import { type Env, makeHome, modelDir, quantshelf, success } from './support.ts';

const installed = (await findRuntime({ home: makeHome(), modelDir: undefined })) !== null;

/** A models directory with the real model but without its runtime. */
function makeModels(): string {
  const root = makeHome();
  const link = dirname(modelDirectory(root));
  symlinkSync(dirname(modelDirectory(modelDir ?? '')), link, 'junction');
  return root;
}

/** The environment of a program that cannot load ONNX Runtime, for this reason. */
const refuseRuntime = (reason: string) => {
  const script = `
  const { dlopen } = process;
  process.dlopen = (module, path, ...flags) => {
    if (/onnxruntime/.test(path)) throw new Error(${JSON.stringify(reason)});
    return dlopen.call(process, module, path, ...flags);
  };`;
  return {
    QUANTSHELF_MODEL_DIR: modelDir ?? '',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
  };
};

/** The results of `model --json`, `status` and a search in a new home. */
async function useModel(env: Env) {
  const home = makeHome();
  const run = (...args: string[]) => quantshelf(args, home, env);
  const model = await run('model', '--json');
  const { present } = JSON.parse((await run('status', '--json')).stdout).model;
  const search = JSON.parse((await run('call', 'paper_search', '{"query": "momentum"}')).stdout);
  return { model, present, notice: success.parse(search).meta.notice ?? '' };
}

/** What doctor reports about the model. */
async function checkModel(env: Env) {
  const { stdout } = await quantshelf(['doctor', '--json'], makeHome(), env);
  const { checks }: { checks: { name: string }[] } = JSON.parse(stdout);
  return checks.find(({ name }) => name === 'model');
}

it.skipIf(modelDir === null || installed).each([
  [
    'has no runtime',
    () => ({ QUANTSHELF_MODEL_DIR: makeModels() }),
    /the model is in .*, but ONNX Runtime, which runs it, is missing or damaged/,
    /QUANTSHELF_OFFLINE/,
    'Lexical search only: the embedding model or its runtime is not on this machine',
  ],
  [
    'has a runtime that does not load',
    () => refuseRuntime('no such symbol\n  in here'),
    /cannot be loaded \(no such symbol\), so search is lexical only/,
    /cannot be loaded \(no such symbol\)/,
    'Lexical search only: the embedding model could not be loaded',
  ],
])('a model is not reported as ready if it %s', async (_, makeEnv, fault, refusal, notice) => {
  const env = makeEnv();
  const detail = expect.stringMatching(fault);
  expect(await checkModel(env)).toMatchObject({ ok: false, detail });
  const { model, ...rest } = await useModel(env);
  expect(model).toMatchObject({ code: 1, stdout: '' });
  expect(model.stderr).toMatch(refusal);
  expect(model.stderr.trim().split('\n')).toHaveLength(1);
  expect(rest).toEqual({ present: false, notice: expect.stringContaining(notice) });
});

it.skipIf(modelDir === null).each([
  ['x.node: failed to map segment from shared object', /mounted noexec: then set QUANTSHELF_HOME/],
  ['libgomp.so.1: cannot open shared object file', /Install .* that provides libgomp\.so\.1\./],
])(
  'doctor and model say how to repair a runtime that fails to load with "%s"',
  async (reason, fix) => {
    const env = refuseRuntime(reason);
    expect(await checkModel(env)).toMatchObject({ fix: expect.stringMatching(fix) });
    expect((await quantshelf(['model'], makeHome(), env)).stderr).toMatch(fix);
  },
);

it.skipIf(modelDir === null)(
  'a model that works is reported as ready, and search uses it',
  async () => {
    const { model, present, notice } = await useModel({ QUANTSHELF_MODEL_DIR: modelDir ?? '' });
    const result = { id: MODEL.id, directory: modelDirectory(modelDir ?? '') };
    expect(model).toMatchObject({ code: 0, stdout: `${JSON.stringify(result)}\n`, stderr: '' });
    expect(present).toBe(true);
    expect(notice).not.toContain('Lexical search only');
  },
);
