import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { UsageError } from './errors.ts';

const NO_HOME = 'This user has no home directory.';

/** The user's home directory; null where there is none, as in a container that runs under an unknown uid. */
export function userHome(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

/**
 * A path from the environment, absolute; hosts pass on a "~" that a shell would have replaced. Throws a
 * UsageError where the user has no home directory.
 */
export function readPath(path: string): string {
  if (!/^~(?=$|[/\\])/.test(path)) return resolve(path);
  const home = userHome();
  if (home === null) throw new UsageError(`${NO_HOME} Write ${path} without "~".`);
  return join(home, path.slice(1));
}

/**
 * The directory of the store, the model and the caches: QUANTSHELF_HOME, else the platform's. Rejects
 * with a UsageError when the user has no home directory, as in a container that runs under an unknown uid.
 */
export async function findHome(env: NodeJS.ProcessEnv): Promise<string> {
  // An empty variable is how many hosts write "not set".
  if (env.QUANTSHELF_HOME) return readPath(env.QUANTSHELF_HOME);
  try {
    // It asks for the home directory as soon as it is loaded.
    const { default: envPaths } = await import('env-paths');
    const { data } = envPaths('quantshelf', { suffix: '' });
    // A shelf in whatever directory the host has started us would be another one each time.
    if (isAbsolute(data)) return data;
  } catch {}
  throw new UsageError(`${NO_HOME} Set QUANTSHELF_HOME to a directory that can be written.`);
}
