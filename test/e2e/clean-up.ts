import { afterAll } from 'vitest';
import { removeHomes } from './support.ts';

/* Set up for each file: modules are shared by the files of a worker, and a hook in them would run for the first only. */

afterAll(removeHomes);
