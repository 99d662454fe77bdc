import { strToU8, zipSync } from 'fflate';

/** A zip archive of small text files. */
export function makeZip(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}
