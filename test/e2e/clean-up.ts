import { afterAll } from 'vitest';
import { removeHomes } from './support.ts';
import { killServers } from './wire.ts';

/* Set up for each file: modules are shared by the files of a worker, and hooks in them would run for the first only. */

afterAll(() => {
  killServers();
  removeHomes();
});
