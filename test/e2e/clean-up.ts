import { afterAll } from 'vitest';
import { removeHomes } from './support.ts';

/*
 * Vitest runs this for each file. Files in a worker share modules, so a hook in a module would run for the
 * first file only.
 */

afterAll(removeHomes);
