import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findModel } from '../src/embedding/files.ts';

/** The directory of a verified model under `modelDir`, or null; writes nothing there. */
export async function findModelIn(modelDir: string): Promise<string | null> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-model-'));
  try {
    return await findModel({ home, modelDir });
  } finally {
    rmSync(home, { recursive: true });
  }
}
