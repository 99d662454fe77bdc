import { afterAll } from 'vitest';
import { removeHomes } from './support.ts';

/* Set up per file: files in a worker share modules, so a hook in a module would run only for the first. */

afterAll(removeHomes);
