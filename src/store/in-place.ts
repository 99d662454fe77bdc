import { statSync } from 'node:fs';
import { type ServiceError, serviceUnavailable } from '../core/errors.ts';

export type FileWatch = ReturnType<typeof watchStoreFile>;

/**
 * Watches the store at `path` from now on: by its inode, and by its size, which only a VACUUM may
 * reduce. `sizeKnown` is what SQLite takes for the size of the open file, in bytes. A look costs some
 * microseconds.
 */
export function watchStoreFile(path: string, sizeKnown: () => number) {
  const opened = look(path);
  let largest = opened?.size ?? 0n;
  /** Its pages may not be in the file yet. */
  const logSize = () => look(`${path}-wal`)?.size ?? 0n;
  return {
    /** Whether another file, or none, stands at the path. */
    isReplaced: () => !isSame(look(path), opened),
    /** Throws `service_unavailable` when the file was replaced, removed or cut short. */
    assertInPlace(): void {
      const now = look(path);
      if (now === undefined || !isSame(now, opened)) throw replaced();
      if (now.size < largest && now.size + logSize() < sizeKnown()) throw cutShort();
      largest = now.size;
    },
  };
}

/** For the call that finds it out: the next one is answered from the file that is there. */
function replaced(): ServiceError {
  return serviceUnavailable(
    'The file of the shelf was replaced or removed while this server ran. The file that is there now is ' +
      'opened: call again. Nothing was charged.',
  );
}

function cutShort(): ServiceError {
  return serviceUnavailable(
    'The file of the shelf was cut short while this server ran. Run `quantshelf doctor`; a backup is ' +
      'brought back with `quantshelf restore FILE`. Nothing was charged.',
  );
}

interface Look {
  dev: bigint;
  ino: bigint;
  size: bigint;
}

function look(path: string): Look | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function isSame(one: Look | undefined, other: Look | undefined): boolean {
  return one?.dev === other?.dev && one?.ino === other?.ino;
}
