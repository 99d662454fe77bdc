import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { findRuntime, modelDirectory } from '../../src/embedding/files.ts';
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
])(
  'a model that does not load is not reported as ready when it %s',
  async (_, makeEnv, fault, refusal, notice) => {
    const env = makeEnv();
    const detail = expect.stringMatching(fault);
    expect(await checkModel(env)).toMatchObject({ ok: false, detail });
    const home = makeHome();
    const model = await quantshelf(['model'], home, env);
    expect(model).toMatchObject({ code: 1, stdout: '' });
    expect(model.stderr).toMatch(refusal);
    expect(model.stderr.trim().split('\n')).toHaveLength(1);
    const status = await quantshelf(['status', '--json'], home, env);
    expect(JSON.parse(status.stdout).model.present).toBe(false);
    const search = await quantshelf(['call', 'paper_search', '{"query": "momentum"}'], home, env);
    expect(success.parse(JSON.parse(search.stdout)).meta.notice).toContain(notice);
  },
);

it.skipIf(modelDir === null).each([
  ['x.node: failed to map segment from shared object', /mounted noexec\. Set QUANTSHELF_HOME/],
  ['libgomp.so.1: cannot open shared object file', /Install .* that provides libgomp\.so\.1\./],
])('doctor says how to repair a runtime that does not load (%s)', async (reason, fix) => {
  expect(await checkModel(refuseRuntime(reason))).toMatchObject({
    fix: expect.stringMatching(fix),
  });
});

it.skipIf(modelDir === null)(
  'a model that works is reported as ready, and search uses it',
  async () => {
    const env = { QUANTSHELF_MODEL_DIR: modelDir ?? '' };
    const home = makeHome();
    const model = await quantshelf(['model', '--json'], home, env);
    expect(model).toMatchObject({ code: 0, stderr: '' });
    const status = await quantshelf(['status', '--json'], home, env);
    expect(JSON.parse(status.stdout).model.present).toBe(true);
    const search = await quantshelf(['call', 'paper_search', '{"query": "momentum"}'], home, env);
    expect(search.stdout).not.toContain('Lexical search only');
  },
);
