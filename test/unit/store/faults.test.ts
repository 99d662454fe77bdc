import { expect, it } from 'vitest';
import { isStoreFault } from '../../../src/store/connection.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

it('tells the faults of a store from those of its neighbours and of upstreams', () => {
  expect(isStoreFault(fault('SQLITE_FULL'))).toBe(true);
  expect(isStoreFault(fault('SQLITE_BUSY'))).toBe(false);
  expect(isStoreFault(fault('ECONNRESET'))).toBe(false);
});
