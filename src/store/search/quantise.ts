import { DIMENSIONS } from '../vectors.ts';

/**
 * How the index keeps vectors: one signed byte per component and one scale per vector. A cosine read
 * from it is off by about 0.0005, a quarter of the memory of float32.
 */

/** Vectors one after the other, as the kernel reads them. */
export interface Rows {
  readonly count: number;
  /** `count` times 384 signed bytes. */
  readonly components: Int8Array;
  /** What a component of each vector is to be multiplied by. */
  readonly scales: Float32Array;
}

const LARGEST = 127;
const SCALE_BYTES = 4;
/** Bytes of one packed vector: its scale, then its components. */
export const PACKED_BYTES = SCALE_BYTES + DIMENSIONS;

/** Packs unit vectors: for each its scale (little-endian float32), then its components. */
export function packRows(vectors: readonly Float32Array[]): Buffer {
  const packed = Buffer.alloc(vectors.length * PACKED_BYTES);
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength);
  for (const [row, vector] of vectors.entries()) {
    let largest = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      largest = Math.max(largest, Math.abs(vector[at] ?? 0));
    }
    const start = row * PACKED_BYTES;
    packed.writeFloatLE(largest / LARGEST, start);
    for (let at = 0; at < DIMENSIONS; at += 1) {
      bytes[start + SCALE_BYTES + at] = Math.round(((vector[at] ?? 0) / largest) * LARGEST);
    }
  }
  return packed;
}

/** Writes packed vectors into rows from `row` on; returns how many there were. */
export function unpackRows(packed: Uint8Array, rows: Rows, row: number): number {
  const count = Math.floor(packed.length / PACKED_BYTES);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let index = 0; index < count; index += 1) {
    const start = index * PACKED_BYTES;
    rows.scales[row + index] = view.getFloat32(start, true);
    const components = bytes.subarray(start + SCALE_BYTES, start + PACKED_BYTES);
    rows.components.set(components, (row + index) * DIMENSIONS);
  }
  return count;
}
