declare const QUANTSHELF_VERSION: string | undefined;

/** The package's version, put in by the build. */
export const VERSION: string =
  typeof QUANTSHELF_VERSION === 'undefined' ? '0.0.0-source' : QUANTSHELF_VERSION;
