import { fileURLToPath } from 'node:url';

/** Files that the build puts beside the program. They are missing when it runs from source. */
export const STARTER_PATH = fileURLToPath(new URL('./starter.sqlite', import.meta.url));
export const PAPER_PARSER = new URL('./paper-parser.mjs', import.meta.url);

/** The program itself, to be run in child processes. */
export const COMMAND_PATH = fileURLToPath(new URL('../bin/quantshelf.js', import.meta.url));

declare const QUANTSHELF_VERSION: string | undefined;

/** The package's version, inserted by the build. */
export const VERSION: string =
  typeof QUANTSHELF_VERSION === 'undefined' ? '0.0.0-source' : QUANTSHELF_VERSION;
