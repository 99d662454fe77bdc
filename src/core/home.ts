import { resolve } from 'node:path';
import envPaths from 'env-paths';

/** The directory of the store, the model and the caches: QUANTSHELF_HOME, else the platform's. */
export function findHome(env: NodeJS.ProcessEnv): string {
  // Many hosts pass an empty variable for one that is not set.
  return resolve(env.QUANTSHELF_HOME || envPaths('quantshelf', { suffix: '' }).data);
}
