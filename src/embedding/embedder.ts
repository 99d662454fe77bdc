import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { PreTrainedModel, PreTrainedTokenizer } from '@huggingface/transformers';
import type { EmbedderFiles } from './files.ts';
import { MODEL } from './pinned.ts';

/** A loaded model. */
export interface Embedder {
  /**
   * One unit vector per text, in order. Texts are truncated to the model's window (256 tokens, about 190
   * words); split longer ones first. Inference runs on the calling thread, about 2 ms for a query and 0.2 s for eight
   * abstracts, and yields to the event loop between batches of eight.
   */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Whether the model's vocabulary holds a word in lower case as a whole. */
  isWord(word: string): boolean;
  /** Waits for running work and frees the session; later calls of `embed` reject. */
  close(): Promise<void>;
}

/** Bigger batches are no faster and only cost memory: 155 MB at 1, 270 at 8, 540 at 32. */
const BATCH = 8;
/** Most tokens in a batch, padding included: memory grows with them, speed does not. */
const BATCH_TOKENS = 512;
/**
 * Characters passed to the tokenizer, which splits the whole text before truncation (a second for two
 * million characters). 256 tokens of prose are about 1,300 characters.
 */
const TOKENIZER_CHARACTERS = 20_000;
const UNIT_TOLERANCE = 1e-3;

type Library = typeof import('@huggingface/transformers');

interface Parts {
  library: Library;
  tokenizer: PreTrainedTokenizer;
  model: PreTrainedModel;
}

/** A tokenized text with its index in the caller's list. */
interface Tokens {
  index: number;
  ids: number[];
}

/**
 * Loads the model; `files` come from `findEmbedder`. Imports the library lazily: import and load take
 * 100 ms each, too long for the handshake. Uses neither the network nor a cache, and prints nothing.
 * Rejects when the library or its native part cannot be loaded, or the files are not a model.
 */
export async function loadEmbedder(
  files: EmbedderFiles,
  { threads }: { threads: number },
): Promise<Embedder> {
  const parts = await loadParts(files, threads);
  const countPieces = (text: string) => parts.tokenizer.encode(text).length;
  const specialPieces = countPieces('');
  let closing: Promise<void> | undefined;
  // Calls run one at a time: parallel batches would only compete for the same cores.
  let last: Promise<unknown> = Promise.resolve();
  return {
    embed(texts) {
      if (closing !== undefined) return Promise.reject(new Error('the embedder is closed'));
      const turn = last.then(() => embedAll(parts, texts));
      last = turn.catch(() => {});
      return turn;
    },
    // Besides the special tokens there is one piece.
    isWord: (word) => countPieces(word.slice(0, TOKENIZER_CHARACTERS)) === specialPieces + 1,
    close() {
      closing ??= last.then(async () => {
        await parts.model.dispose();
      });
      return closing;
    },
  };
}

/** Rejects, in one line, when the model is here but cannot be used. */
export async function tryEmbedding(files: EmbedderFiles): Promise<void> {
  try {
    const embedder = await loadEmbedder(files, { threads: 1 });
    await embedder.embed(['interest rates']);
    await embedder.close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The embedding model is here, but it cannot be loaded (${reason.split('\n')[0]}), so search is lexical only.`,
      { cause: error },
    );
  }
}

/** Under this name the transformer library takes a runtime from its host instead of loading one. */
const HOST_RUNTIME = Symbol.for('onnxruntime');

/** Loads the runtime for the transformer library; `from` comes from `findRuntime`. Throws as `require` does. */
export function loadRuntime(from: string): void {
  if (HOST_RUNTIME in globalThis) return;
  Reflect.set(globalThis, HOST_RUNTIME, createRequire(from)('onnxruntime-node'));
}

async function loadParts(files: EmbedderFiles, threads: number): Promise<Parts> {
  const directory = resolve(files.directory);
  // The library takes the runtime when it is evaluated.
  loadRuntime(files.runtime);
  const library = await import('@huggingface/transformers');
  const { env, LogLevel, AutoTokenizer, AutoModel } = library;
  env.allowRemoteModels = false;
  env.useFSCache = false;
  env.useBrowserCache = false;
  env.useWasmCache = false;
  // The library logs to stdout and prints texts in its error reports; failures throw anyway.
  env.logLevel = LogLevel.NONE;
  const local = { local_files_only: true };
  const [tokenizer, loaded] = await Promise.all([
    AutoTokenizer.from_pretrained(directory, local),
    AutoModel.from_pretrained(directory, {
      ...local,
      dtype: MODEL.dtype,
      // The library knows no devices of a runtime that it was given, so the choice is the session's.
      device: 'auto',
      session_options: {
        executionProviders: ['cpu'],
        intraOpNumThreads: threads,
        // Threads that spin longer between the steps of a run take twice the processor time, and on a busy
        // machine twice as long; with no spinning at all a short query takes longer on an idle one.
        extra: { session: { intra_op: { spin_duration_us: '20' } } },
      },
    }),
  ]);
  return { library, tokenizer, model: loaded };
}

async function embedAll(parts: Parts, texts: readonly string[]): Promise<Float32Array[]> {
  // Batches of similar length waste little work on padding.
  const tokenized = texts
    .map((text, index) => ({ index, ids: tokenize(parts.tokenizer, text) }))
    .sort((a, b) => a.ids.length - b.ids.length);
  const vectors = new Array<Float32Array>(texts.length);
  for (let start = 0; start < tokenized.length; ) {
    const batch = nextBatch(tokenized, start);
    start += batch.length;
    const embedded = await embedBatch(parts, batch);
    batch.forEach(({ index }, row) => {
      vectors[index] = unitVector(embedded, row);
    });
  }
  return vectors;
}

/** The next batch from `start`; `texts` are sorted by length. */
function nextBatch(texts: readonly Tokens[], start: number): Tokens[] {
  let size = 1;
  while (size < BATCH) {
    const longest = texts[start + size]?.ids.length;
    if (longest === undefined || longest * (size + 1) > BATCH_TOKENS) break;
    size += 1;
  }
  return texts.slice(start, start + size);
}

/** Truncated token ids. The library's own truncation would drop the closing [SEP]. */
function tokenize(tokenizer: PreTrainedTokenizer, text: string): number[] {
  const ids = tokenizer.encode(text.slice(0, TOKENIZER_CHARACTERS));
  const end = ids.at(-1);
  if (ids.length <= MODEL.windowTokens || end === undefined) return ids;
  return [...ids.slice(0, MODEL.windowTokens - 1), end];
}

/** The pooled vectors of a batch, concatenated and not yet normalised. */
async function embedBatch(
  { library, model }: Parts,
  batch: readonly Tokens[],
): Promise<Float32Array> {
  const { Tensor, mean_pooling } = library;
  const length = Math.max(...batch.map(({ ids }) => ids.length));
  const shape = [batch.length, length];
  const ids = new BigInt64Array(batch.length * length);
  const mask = new BigInt64Array(batch.length * length);
  batch.forEach((tokens, row) => {
    tokens.ids.forEach((id, column) => {
      ids[row * length + column] = BigInt(id);
      mask[row * length + column] = 1n;
    });
  });
  const attention_mask = new Tensor('int64', mask, shape);
  const output: unknown = await model._call({
    input_ids: new Tensor('int64', ids, shape),
    attention_mask,
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  });
  const hidden =
    typeof output === 'object' && output !== null && 'last_hidden_state' in output
      ? output.last_hidden_state
      : undefined;
  if (!(hidden instanceof Tensor)) throw new Error('the model returned no hidden states');
  const pooled = mean_pooling(hidden, attention_mask).data;
  if (!(pooled instanceof Float32Array) || pooled.length !== batch.length * MODEL.dimensions) {
    throw new Error('the model returned vectors of an unexpected shape');
  }
  return pooled;
}

/** Row `row` of a batch, normalised; throws when it is zero or not finite. */
function unitVector(batch: Float32Array, row: number): Float32Array {
  const vector = batch.slice(row * MODEL.dimensions, (row + 1) * MODEL.dimensions);
  const length = Math.hypot(...vector);
  const unit = vector.map((component) => component / length);
  if (!(Math.abs(Math.hypot(...unit) - 1) < UNIT_TOLERANCE)) {
    throw new Error('the model returned a vector that is zero or not finite');
  }
  return unit;
}
