import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { assertNotCut } from '../core/native-file.ts';
import {
  type FindModelOptions,
  findModel,
  ModelFileError,
  placesOf,
  verifyDirectory,
} from './files.ts';

/** An npm package that is fetched by itself; only the files that match `keep` are unpacked. */
export interface Tarball {
  name: string;
  version: string;
  /** Size of the packed file. */
  bytes: number;
  /** Of the packed file, base64. */
  sha512: string;
  /** Most bytes that the kept files may have together. */
  maxUnpackedBytes: number;
  /** Paths below the package's folder; `/` separates. */
  keep: RegExp;
}

/** The library that runs the model: its packages, and the file to load. */
export interface Runtime {
  version: string;
  /** `<platform>-<arch>`, as Node names them. */
  platform: string;
  packages: readonly Tarball[];
}

/** What onnxruntime-node has builds for, as `<platform>-<arch>`. */
export const PLATFORMS = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

/**
 * ONNX Runtime (MIT). Its npm package holds the binaries of all platforms (113 MB packed); one takes 25
 * to 90 MB. The second package is its only dependency at run time.
 */
export const RUNTIME: Runtime = {
  version: '1.30.0',
  platform: `${process.platform}-${process.arch}`,
  packages: [
    {
      name: 'onnxruntime-node',
      version: '1.30.0',
      bytes: 113_507_888,
      sha512:
        'twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==',
      maxUnpackedBytes: 120_000_000,
      keep: new RegExp(
        `^(package\\.json|dist/\\w+\\.js|bin/napi-v6/${process.platform}/${process.arch}/[\\w.]+)$`,
      ),
    },
    {
      name: 'onnxruntime-common',
      version: '1.30.0',
      bytes: 66_795,
      sha512:
        '7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==',
      maxUnpackedBytes: 1_000_000,
      keep: /^(package\.json|dist\/cjs\/([\w-]+\.js|package\.json))$/,
    },
  ],
};

/** Whether there is a build of the runtime for this platform. */
export function isPlatformSupported(): boolean {
  return PLATFORMS.includes(RUNTIME.platform);
}

/** Lists the unpacked files with their checksums; written last, when all of them are there. */
export const CONTENTS = 'contents.json';

const contents = z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() }));

/** Where a fetched copy lies below a models directory. */
export function runtimeDirectory(root: string, runtime: Runtime = RUNTIME): string {
  return join(root, `onnxruntime-${runtime.version}-${runtime.platform}`);
}

export interface FindRuntimeOptions {
  home: string;
  /** QUANTSHELF_MODEL_DIR; takes precedence over the home. */
  modelDir: string | undefined;
  runtime?: Runtime;
  /** Where Node begins to look for an installed copy. */
  from?: string;
}

/**
 * The path from which Node can resolve `onnxruntime-node`: beside the program, if the right version is
 * installed there, else a fetched copy. Null when there is none that is intact. Rejects with a
 * ModelFileError when a copy cannot be read.
 */
export async function findRuntime(options: FindRuntimeOptions): Promise<string | null> {
  const { home, modelDir, runtime = RUNTIME, from = import.meta.url } = options;
  if (isInstalledBeside(from, runtime)) return from;
  for (const { root } of placesOf(home, modelDir)) {
    const found = await findFetchedRuntime(root, runtime);
    if (found !== null) return found;
  }
  return null;
}

/** What is fetched is known by its checksums; what npm unpacked beside the program may be cut short. */
function isInstalledBeside(from: string, { packages: [main], version }: Runtime): boolean {
  try {
    const path = createRequire(from).resolve(`${main?.name}/package.json`);
    if (JSON.parse(readFileSync(path, 'utf8')).version !== version) return false;
    const folder = dirname(path);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (main?.keep.test(name)) assertNotCut(join(folder, name));
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * The same for an intact fetched copy below the models directory `root`. A damaged one counts as none:
 * the next download replaces it.
 */
export async function findFetchedRuntime(root: string, runtime: Runtime): Promise<string | null> {
  const directory = runtimeDirectory(root, runtime);
  const list = join(directory, CONTENTS);
  try {
    const files = contents.parse(JSON.parse(await readFile(list, 'utf8')));
    return (await verifyDirectory(directory, { files }, root)) ? list : null;
  } catch (error) {
    if (error instanceof ModelFileError && error.problem === 'unreadable') throw error;
    return null;
  }
}

/** Under this name the transformer library takes a runtime from its host instead of loading one. */
const HOST_RUNTIME = Symbol.for('onnxruntime');

/** Loads the runtime for the transformer library; `from` comes from `findRuntime`. Throws as `require` does. */
export function loadRuntime(from: string): void {
  if (HOST_RUNTIME in globalThis) return;
  Reflect.set(globalThis, HOST_RUNTIME, createRequire(from)('onnxruntime-node'));
}

/** What is on disk and needed to embed texts. */
export interface EmbedderFiles {
  /** Directory of the model. */
  directory: string;
  /** Path from which Node resolves the runtime. */
  runtime: string;
}

/** Intact copies of the model and of its runtime; null unless both are here. Rejects like `findModel`. */
export async function findEmbedder(options: FindModelOptions): Promise<EmbedderFiles | null> {
  const directory = await findModel(options);
  const { home, modelDir } = options;
  const runtime = directory === null ? null : await findRuntime({ home, modelDir });
  return directory === null || runtime === null ? null : { directory, runtime };
}
