import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 64;
/** Magic number, 64 bits, little-endian: every library of Linux that we load. */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);

/**
 * Throws for a library of Linux that was cut short, as npm leaves it when killed while unpacking.
 * Loading such a file ends the process with SIGBUS. Linkers put the section headers last; their place
 * is in the ELF header. Any other file is left to the loader, which refuses damaged ones itself.
 */
export function assertNotCut(path: string): void {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    if (!header.subarray(0, ELF.length).equals(ELF)) return;
    const sections = Number(header.readBigUInt64LE(0x28));
    const end = sections + header.readUInt16LE(0x3a) * header.readUInt16LE(0x3c);
    if (end <= fstatSync(file).size) return;
  } finally {
    closeSync(file);
  }
  // As the loader says it of shorter ones.
  throw Object.assign(new Error(`${path}: file too short`), { code: 'ERR_DLOPEN_FAILED' });
}
