import { existsSync } from 'node:fs';
import { type Config, storePath } from '../../config.ts';
import { tryEmbedding } from '../../embedding/embedder.ts';
import { findModel } from '../../embedding/files.ts';
import { MODEL, type Model } from '../../embedding/model.ts';
import { findModelByStamp } from '../../embedding/records.ts';
import { findRuntime, isPlatformSupported, PLATFORMS } from '../../embedding/runtime.ts';
import { type Check, failed, firstLine, passed } from './check.ts';

const DOWNLOAD =
  'Download it once with `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a copy. Until then search is lexical only.';

/** Not the files alone: whether search can use them, and whether they are those of the shelf's model. */
export async function checkModel(config: Config): Promise<Check> {
  if (!isPlatformSupported()) {
    const detail = `ONNX Runtime has no build for ${process.platform} ${process.arch}, so search is lexical only`;
    return missing(detail, `It runs on ${PLATFORMS.join(', ')}.`);
  }
  const { stamp, isChanging } = await readStored(config.home);
  const model = await findModelByStamp(config, stamp);
  if (model === null) {
    return missing(
      `the shelf was embedded with ${stamp}, which is not on this machine, so search is lexical only`,
      remedyFor(null),
    );
  }
  const check = await checkFiles(config, model);
  if (!isChanging) return check;
  const change = `the shelf is being embedded with ${model.id}, so search is lexical only`;
  const command = `quantshelf model --use ${model.id}`;
  if (!check.ok) {
    return {
      ...check,
      detail: `${change}; ${check.detail}`,
      fix: `${check.fix} Then \`${command}\` goes on.`,
    };
  }
  return missing(change, `Let \`${command}\` finish; if it was stopped, the same command goes on.`);
}

async function checkFiles(config: Config, model: Model): Promise<Check> {
  const fix = remedyFor(model);
  try {
    const directory = await findModel({ ...config, model });
    if (directory === null) {
      const whose = model.npm === null ? `${model.id}, the shelf's model, is ` : '';
      return missing(`${whose}not on this machine`, fix);
    }
    const runtime = await findRuntime(config);
    if (runtime === null) {
      return missing('ONNX Runtime, which runs the model, is missing or damaged', DOWNLOAD);
    }
    await tryEmbedding({ directory, runtime }, model);
    return passed('model', `ready in ${directory}`);
  } catch (error) {
    return failed('model', firstLine(error), fix);
  }
}

/** Only our own model can be downloaded. */
function remedyFor(model: Model | null): string {
  if (model !== null && model.npm !== null) return DOWNLOAD;
  return `Put its folder, with its record, back into QUANTSHELF_MODEL_DIR, or embed the shelf again: \`quantshelf model --use ${MODEL.id}\`.`;
}

function missing(detail: string, fix: string): Check {
  return failed('model', detail, fix, 'missing');
}

/** What the store records. Nothing where it cannot be read: another check says why. */
async function readStored(
  home: string,
): Promise<{ stamp: string | undefined; isChanging: boolean }> {
  const path = storePath(home);
  const none = { stamp: undefined, isChanging: false };
  if (!existsSync(path)) return none;
  try {
    // Lazily: better-sqlite3 may be missing.
    const { openForReading } = await import('../../store/open.ts');
    const { modelChange, storedModel } = await import('../../store/embedding-model.ts');
    const db = openForReading(path);
    try {
      return { stamp: storedModel(db), isChanging: modelChange(db) !== null };
    } finally {
      db.close();
    }
  } catch {
    return none;
  }
}
