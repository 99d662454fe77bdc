import { fileURLToPath } from 'node:url';

/**
 * Files that the build puts beside the program. In the sources nothing lies at these places: tests
 * and scripts name their own.
 */
export const STARTER_PATH = fileURLToPath(new URL('./starter.sqlite', import.meta.url));
export const PAPER_PARSER = new URL('./paper-parser.mjs', import.meta.url);

/** The command itself, for work that needs a process of its own. */
export const COMMAND_PATH = fileURLToPath(new URL('../bin/quantshelf.js', import.meta.url));
