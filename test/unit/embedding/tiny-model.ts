import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { modelDirectory } from '../../../src/embedding/files.ts';
import type { Model, ModelFile } from '../../../src/embedding/pinned.ts';

/** Contents of the tiny model's files: some text, and a few kilobytes for the weights. */
export const TINY_CONTENTS: Readonly<Record<string, Buffer>> = {
  'config.json': Buffer.from('{"tiny": true}'),
  'onnx/weights.onnx_data': Buffer.alloc(200_000, 'weights '),
};

/** Files with their sizes and checksums, as in `data/model.json`. */
export function pin(contents: Readonly<Record<string, Buffer | string>>): ModelFile[] {
  return Object.entries(contents).map(([path, content]) => ({
    path,
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
}

/** A model like ours in everything but size. */
export const TINY: Model = {
  id: 'quantshelf-test/tiny',
  npm: { name: 'tiny-model', version: '9.9.9', folder: 'package/model/tiny', bytes: 0, sha512: '' },
  files: pin(TINY_CONTENTS),
};

/** Puts the tiny model under a models directory, with some contents replaced (null: left out). */
export async function putTiny(
  root: string,
  changes: Readonly<Record<string, Buffer | null>> = {},
): Promise<string> {
  const directory = modelDirectory(root, TINY);
  await putFiles(directory, { ...TINY_CONTENTS, ...changes });
  return directory;
}

export async function putFiles(
  directory: string,
  contents: Readonly<Record<string, Buffer | string | null>>,
): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    if (content === null) continue;
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
