import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { PreTrainedModel, PreTrainedTokenizer } from '@huggingface/transformers';
import { firstLineOf } from '../core/errors.ts';
import type { EmbedderFiles } from './files.ts';
import { MODEL } from './pinned.ts';

export interface Embedder {
  /**
   * One unit vector per text, in order. Texts are truncated to the model's window (256 tokens, about 190
   * words); split longer ones first. Inference runs on the calling thread, about 2 ms for a query and 25 ms
   * for an abstract, and yields to the event loop between texts.
   */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Whether the model's vocabulary contains a lower-case word as a single token. */
  isWord(word: string): boolean;
  /** Waits for running work and frees the model; later calls to `embed` reject. */
  close(): Promise<void>;
}

/**
 * Maximum number of characters passed to the tokenizer, which splits the whole text before truncating it (two
 * million take a second). 256 tokens of prose are about 1,300 characters.
 */
const TOKENIZER_CHARACTERS = 20_000;

const WEIGHTS = '.onnx_data';

type Library = typeof import('@huggingface/transformers');

interface Parts {
  library: Library;
  tokenizer: PreTrainedTokenizer;
  model: PreTrainedModel;
}

/**
 * Loads the model from `files`, as returned by `findEmbedder`, using neither the network nor a cache on disk. Takes
 * about 200 ms, too long for the MCP handshake. Rejects if the library or a native binary cannot be loaded, or
 * if the files are not a model.
 */
export async function loadEmbedder(
  files: EmbedderFiles,
  { threads }: { threads: number },
): Promise<Embedder> {
  const parts = await loadParts(files, threads);
  const countPieces = (text: string) => parts.tokenizer.encode(text).length;
  const specialPieces = countPieces('');
  let closing: Promise<void> | undefined;
  // Run calls one at a time: parallel batches would only compete for the same cores.
  let last: Promise<unknown> = Promise.resolve();
  return {
    embed(texts) {
      if (closing !== undefined) return Promise.reject(new Error('the embedder is closed'));
      const turn = last.then(async () => {
        const vectors: Float32Array[] = [];
        // One by one: batches are no faster on a CPU, and their padding costs memory.
        for (const text of texts) vectors.push(await embedText(parts, text));
        return vectors;
      });
      last = turn.catch(() => {});
      return turn;
    },
    // The tokens are the special ones and, for a word in the vocabulary, one more.
    isWord: (word) => countPieces(word.slice(0, TOKENIZER_CHARACTERS)) === specialPieces + 1,
    close() {
      closing ??= last.then(async () => {
        await parts.model.dispose();
      });
      return closing;
    },
  };
}

/** Loads the model and embeds a text with it; rejects with a one-line message if that fails. */
export async function tryEmbedding(files: EmbedderFiles): Promise<void> {
  try {
    const embedder = await loadEmbedder(files, { threads: 1 });
    await embedder.embed(['interest rates']);
    await embedder.close();
  } catch (error) {
    throw new Error(
      `The embedding model is on this machine, but it cannot be loaded (${firstLineOf(error)}), so search is lexical only.`,
      { cause: error },
    );
  }
}

/** The remedy for a load error; null if unknown. Linux's loader names a missing library, but not a noexec mount. */
export function remedyForLoad(message: string): string | null {
  if (/failed to map segment/.test(message)) {
    return 'Memory is short, or the file system of the runtime is mounted noexec: then set QUANTSHELF_HOME or QUANTSHELF_MODEL_DIR to a directory on another one.';
  }
  const [, library] = /\b(lib[\w.+-]+): cannot open shared object file/.exec(message) ?? [];
  return library === undefined ? null : `Install the system package that provides ${library}.`;
}

/** Loads one of the runtime's packages; `from` comes from `findRuntime`. Throws as `require` does. */
export function requireFrom(from: string, name: string) {
  return createRequire(join(resolve(from), '/'))(name);
}

async function loadParts(files: EmbedderFiles, threads: number): Promise<Parts> {
  const directory = resolve(files.directory);
  const library: Library = requireFrom(files.runtime, '@huggingface/transformers');
  const { env, LogLevel, AutoTokenizer, AutoModel } = library;
  env.allowRemoteModels = false;
  env.useWasmCache = false;
  // This cache contains only the weights, whose path is enough for the runtime. Without it, all 54 MB would
  // also be read into memory (version 4.3.1, `FileResponse`).
  env.useCustomCache = true;
  env.customCache = {
    match: async (path) => (path.endsWith(WEIGHTS) ? path : undefined),
    put: async () => {},
  };
  // The library logs to stdout and prints input texts in its error reports; failures throw anyway.
  env.logLevel = LogLevel.NONE;
  const local = { local_files_only: true };
  const [tokenizer, loaded] = await Promise.all([
    AutoTokenizer.from_pretrained(directory, local),
    AutoModel.from_pretrained(directory, {
      ...local,
      dtype: MODEL.dtype,
      device: 'cpu',
      session_options: {
        intraOpNumThreads: threads,
        // Threads that spin longer between steps take twice the processor time, and twice as long on a busy
        // machine; without any spinning, a short query takes longer on an idle one.
        extra: { session: { intra_op: { spin_duration_us: '20' } } },
      },
    }),
  ]);
  return { library, tokenizer, model: loaded };
}

/** Truncated token ids. The library's own truncation would drop the closing [SEP]. */
function tokenize(tokenizer: PreTrainedTokenizer, text: string): number[] {
  const ids = tokenizer.encode(text.slice(0, TOKENIZER_CHARACTERS));
  const end = ids.at(-1);
  if (ids.length <= MODEL.windowTokens || end === undefined) return ids;
  return [...ids.slice(0, MODEL.windowTokens - 1), end];
}

async function embedText({ library, tokenizer, model }: Parts, text: string) {
  const { Tensor, mean_pooling } = library;
  const tokens = tokenize(tokenizer, text);
  const shape = [1, tokens.length];
  const mask = new Tensor('int64', new BigInt64Array(tokens.length).fill(1n), shape);
  const { last_hidden_state: hidden } = await model._call({
    input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), shape),
    attention_mask: mask,
    token_type_ids: new Tensor('int64', new BigInt64Array(tokens.length), shape),
  });
  if (hidden === undefined) throw new Error('the model returned no hidden states');
  const pooled = mean_pooling(hidden, mask).data;
  if (!(pooled instanceof Float32Array) || pooled.length !== MODEL.dimensions) {
    throw new Error('the model returned a vector of an unexpected shape');
  }
  const length = Math.hypot(...pooled);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new Error('the model returned a vector that is zero or not finite');
  }
  return pooled.map((component) => component / length);
}
