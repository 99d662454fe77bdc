import { afterAll } from 'vitest';
import { removeHomes } from './support.ts';

/* Vitest runs this for each file; a hook in a shared module would run for the first file only. */

afterAll(removeHomes);
