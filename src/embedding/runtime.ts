import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod';
import { type FindModelOptions, findModel, placesOf, verifyDirectory } from './files.ts';
import type { Tarball } from './model.ts';

/** A package of which only the files that match `keep` are unpacked. */
interface RuntimePackage extends Tarball {
  /** Most bytes that the kept files may have together. */
  keptBytes: number;
  /** Paths below the package's folder. */
  keep: RegExp;
}

/** The library that runs the model: its packages, and the file to load. */
export interface Runtime {
  version: string;
  /** `<platform>-<arch>`, as Node names them. */
  platform: string;
  packages: readonly RuntimePackage[];
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
      folder: 'package',
      keptBytes: 120_000_000,
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
      folder: 'package',
      keptBytes: 1_000_000,
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

/**
 * The path from which Node can resolve an intact copy of `onnxruntime-node`; null when there is none.
 * A damaged one counts as none: the next download replaces it.
 */
export async function findRuntime({
  home,
  modelDir,
  runtime = RUNTIME,
}: Omit<FindModelOptions, 'model'> & { runtime?: Runtime }): Promise<string | null> {
  for (const { root } of placesOf(home, modelDir)) {
    const path = await findFetchedRuntime(root, runtime);
    if (path !== null) return path;
  }
  return null;
}

/** The same below one models directory. */
export async function findFetchedRuntime(root: string, runtime: Runtime): Promise<string | null> {
  const directory = runtimeDirectory(root, runtime);
  const list = join(directory, CONTENTS);
  try {
    const files = contents.parse(JSON.parse(await readFile(list, 'utf8')));
    return (await verifyDirectory(directory, files, root)) ? list : null;
  } catch {
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
