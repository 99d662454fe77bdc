import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of small files, deflated. */
export function makeZip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(text), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(Buffer.byteLength(text), 8);
    // Version, flags, deflate, dummy time and date; then the lengths of the name and the extra field.
    const method = Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    const lengths = Buffer.from([Buffer.byteLength(name), 0, 0, 0]);
    const local = [Buffer.from('PK\x03\x04'), method, sizes, lengths, Buffer.from(name), packed];
    const at = Buffer.alloc(14);
    at.writeUInt32LE(offset, 10);
    entries.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), method, sizes, lengths, at]),
      Buffer.from(name),
    );
    locals.push(...local);
    offset += Buffer.concat(local).length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
