import { existsSync } from 'node:fs';
import { type Config, storePath } from '../config.ts';
import { tryEmbedding } from '../embedding/embedder.ts';
import { findModel, findRuntime } from '../embedding/files.ts';
import { isPlatformSupported, MODEL_STAMP, PLATFORMS } from '../embedding/model.ts';
import { type Check, failed, firstLine, passed } from './doctor-check.ts';

const DOWNLOAD =
  'Download it once with `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a copy. Until then search is lexical only.';

/** Not the files alone: whether search can use them, and whether the shelf's vectors are the model's. */
export async function checkModel(config: Config): Promise<Check> {
  if (!isPlatformSupported()) {
    const detail = `ONNX Runtime has no build for ${process.platform} ${process.arch}, so search is lexical only`;
    return missing(detail, `It runs on ${PLATFORMS.join(', ')}.`);
  }
  const stamp = (await readStored(config.home)) ?? MODEL_STAMP;
  if (stamp !== MODEL_STAMP) {
    return missing(
      `another version of QuantShelf embedded the shelf with ${stamp}, so search is lexical only`,
      'Upgrade with `npx -y quantshelf@latest`.',
    );
  }
  try {
    const directory = await findModel(config);
    if (directory === null) return missing('not on this machine', DOWNLOAD);
    const runtime = await findRuntime(config);
    if (runtime === null) {
      return missing('ONNX Runtime, which runs the model, is missing or damaged', DOWNLOAD);
    }
    await tryEmbedding({ directory, runtime });
    return passed('model', `ready in ${directory}`);
  } catch (error) {
    return failed('model', firstLine(error), DOWNLOAD);
  }
}

function missing(detail: string, fix: string): Check {
  return failed('model', detail, fix, 'missing');
}

/** The stamp that the store records. Undefined where it cannot be read: another check says why. */
async function readStored(home: string): Promise<string | undefined> {
  const path = storePath(home);
  if (!existsSync(path)) return undefined;
  try {
    // Lazily: better-sqlite3 may be missing.
    const { openForReading } = await import('../store/open.ts');
    const { storedModel } = await import('../store/embedding-model.ts');
    const db = openForReading(path);
    try {
      return storedModel(db);
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}
