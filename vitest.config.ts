import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Far above what any test takes: a busy machine is no fault.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second, the default, is little on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Two cores: more workers than that only wait for each other.
    maxWorkers: 2,
    reporters: ['default'],
    snapshotFormat: { printBasicPrototype: false },
  },
});
