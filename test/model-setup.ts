import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkModels, suppliedModels } from '../scripts/model.ts';

/**
 * Before all tests: creates a folder for shared files, in QUANTSHELF_TEST_SCRATCH, and downloads the runtime
 * for the real model. If that fails, the tests with the real model are skipped.
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
  // Thousands of files: removed synchronously, they would hold up Vitest's own end.
  return () => rm(scratch, { recursive: true, force: true });
}
