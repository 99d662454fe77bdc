import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { codeOf } from '../core/errors.ts';
import type { Model, ModelFile } from './model.ts';

/** Chunk size for hashing; each blocks the event loop for about 1 ms. */
const HASH_BYTES = 1 << 20;

/** A file whose sha256 was right; it is hashed again when any of these fields changes. */
export const verifiedFile = z.object({
  /** Relative to the model's directory. */
  path: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  mtimeMs: z.number(),
  inode: z.number(),
});
export type VerifiedFile = z.infer<typeof verifiedFile>;

/** The copy of the model is damaged or incomplete. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
  readonly problem: 'missing' | 'size' | 'hash' | 'unreadable';

  /** `file` is relative to the model's directory. */
  constructor(problem: ModelFileError['problem'], file: string, place: string, cause?: unknown) {
    super(
      `${place} holds no intact copy of the model: ${file} ${PROBLEMS[problem]}.`,
      cause === undefined ? {} : { cause },
    );
    this.problem = problem;
  }
}

const PROBLEMS = {
  missing: 'is missing',
  size: 'has the wrong size',
  hash: 'has the wrong sha256',
  unreadable: 'cannot be read',
} as const;

/**
 * Verifies a directory against the model's file list, hashing only files that are not in `known`.
 * Returns what can be recorded, or null when none of the files exists. Rejects with a ModelFileError
 * whose message calls the directory `place`.
 */
export async function verifyDirectory(
  directory: string,
  model: Pick<Model, 'files'>,
  place: string,
  known: readonly VerifiedFile[] = [],
): Promise<VerifiedFile[] | null> {
  const found: (VerifiedFile | undefined)[] = [];
  for (const file of model.files) found.push(await look(directory, file, place));
  if (found.every((file) => file === undefined)) return null;
  // All sizes before any hash: most wrong copies are detected without reading 54 MB.
  const verified: VerifiedFile[] = [];
  for (const [index, file] of model.files.entries()) {
    const seen = found[index];
    if (seen === undefined) throw new ModelFileError('missing', file.path, place);
    if (seen.bytes !== file.bytes) throw new ModelFileError('size', file.path, place);
    verified.push(seen);
  }
  for (const file of verified) {
    if (known.some((candidate) => isSame(candidate, file))) continue;
    await verifyHash(directory, file, place);
  }
  return verified;
}

async function verifyHash(directory: string, file: VerifiedFile, place: string): Promise<void> {
  const actual = await sha256Of(join(directory, file.path)).catch((error: unknown) => {
    throw new ModelFileError('unreadable', file.path, place, error);
  });
  const after = await look(directory, file, place);
  // A file that changed while it was read has an unknown hash.
  const steady = after !== undefined && isSame(after, file);
  if (actual !== file.sha256 || !steady) throw new ModelFileError('hash', file.path, place);
}

async function look(
  directory: string,
  { path, sha256 }: Pick<ModelFile, 'path' | 'sha256'>,
  place: string,
): Promise<VerifiedFile | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(join(directory, path));
    return { path, sha256, bytes: size, mtimeMs, inode: ino };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ModelFileError('unreadable', path, place, error);
  }
}

function isSame(a: VerifiedFile, b: VerifiedFile): boolean {
  return (
    a.path === b.path &&
    a.sha256 === b.sha256 &&
    a.bytes === b.bytes &&
    a.mtimeMs === b.mtimeMs &&
    a.inode === b.inode
  );
}

/** Hex. Reads through one buffer: a stream would leave tens of megabytes of garbage in the process. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HASH_BYTES);
  const file = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
