import { resolve } from 'node:path';

/** The user has no home directory, and QUANTSHELF_HOME is not set. */
class NoHomeError extends Error {
  override readonly name = 'NoHomeError';

  constructor() {
    super(
      'This user has no home directory. Set QUANTSHELF_HOME to a directory that can be written.',
    );
  }
}

/**
 * The directory of the store, the model and the caches: QUANTSHELF_HOME, else the platform's. Rejects
 * when the user has no home directory, as in a container that runs under an unknown uid.
 */
export async function findHome(env: NodeJS.ProcessEnv): Promise<string> {
  // An empty variable is how many hosts write "not set".
  if (env.QUANTSHELF_HOME) return resolve(env.QUANTSHELF_HOME);
  try {
    // It asks for the home directory as soon as it is loaded.
    const { default: envPaths } = await import('env-paths');
    return envPaths('quantshelf', { suffix: '' }).data;
  } catch {
    throw new NoHomeError();
  }
}
