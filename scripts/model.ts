import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findModel } from '../src/embedding/files.ts';

/** The directory of a sound model under `modelDir`, or null; nothing is written there. */
export async function findModelIn(modelDir: string): Promise<string | null> {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-model-'));
  try {
    return await findModel({ home, modelDir });
  } finally {
    rmSync(home, { recursive: true });
  }
}
