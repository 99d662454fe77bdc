import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkModels, suppliedModels } from '../scripts/model.ts';

/**
 * Runs before all tests. Creates a folder that they share, in QUANTSHELF_TEST_SCRATCH, and links the supplied
 * model to the runtime that npm has installed. If that fails, tests with the real model are skipped.
 */
export async function setup(): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(tmpdir(), 'quantshelf-run-'));
  process.env.QUANTSHELF_TEST_SCRATCH = scratch;
  const directory = suppliedModels();
  try {
    process.env.QUANTSHELF_MODEL_DIR = (await linkModels(directory)) ?? directory;
  } catch (error) {
    process.stderr.write(`Tests with the model are skipped: ${String(error)}\n`);
    process.env.QUANTSHELF_MODEL_DIR = join(directory, 'without-runtime');
  }
  // Removing thousands of files synchronously would delay Vitest's end.
  return () => rm(scratch, { recursive: true, force: true });
}
