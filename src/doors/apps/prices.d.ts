/** Credits of a successful call, by tool. Set by the build, from the table of operations. */
declare const QUANTSHELF_PRICES: Readonly<Record<string, number>>;
/** The version of the program. Set by the build. */
declare const QUANTSHELF_VERSION: string;
