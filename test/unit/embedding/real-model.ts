import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { modelDirectory } from '../../../src/embedding/files.ts';

const root = process.env.QUANTSHELF_MODEL_DIR ?? resolve('../shared/models');

/** A models directory that holds the real model, or undefined: tests of meaning are then skipped. */
export const REAL_MODELS: string | undefined = existsSync(modelDirectory(root)) ? root : undefined;
