import { defineConfig } from 'vitest/config';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Far above what tests take, since a busy machine is no fault; hooks make what all tests of a file use. */
const limit = (ms: number) => ({ testTimeout: ms, hookTimeout: 2 * ms });

export default defineConfig({
  test: {
    // For two cores; the others work while these wait for a process, a socket, a timer or the disk.
    maxWorkers: 4,
    globalSetup: './test/model-setup.ts',
    // A second, the default, is little on a busy machine.
    expect: { poll: { timeout: 20 * SECOND } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture.test.ts'],
          // Files share their worker: their state hangs on objects that tests make, and loading them anew took as
          // long as the tests.
          isolate: false,
          restoreMocks: true,
          ...limit(2 * MINUTE),
        },
      },
      {
        extends: true,
        // The built program, through real clients.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: './test/installed-setup.ts',
          setupFiles: './test/e2e/clean-up.ts',
          // Commands that run inside a test are those of the build, as it is.
          server: { deps: { external: [/\/dist\/[\w-]+\.js$/] } },
          isolate: false,
          ...limit(3 * MINUTE),
        },
      },
      {
        extends: true,
        // The tarball, the committed data in it, the model, and whole recorded responses; installing compiles where it must.
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          setupFiles: './test/e2e/clean-up.ts',
          isolate: false,
          ...limit(5 * MINUTE),
        },
      },
    ],
  },
});
