/** Components of every vector in the store. */
export const DIMENSIONS = 384;
/** How far a vector's length may be from 1: float32 rounding, no more. */
const UNIT_TOLERANCE = 1e-3;

/**
 * Throws when a vector is not finite, not of length 1, or of the wrong dimension: one such row spoils
 * every ranking.
 */
export function assertUnit(vector: Float32Array): void {
  if (vector.length !== DIMENSIONS) {
    throw new Error(`a vector has ${vector.length} components, the store keeps ${DIMENSIONS}`);
  }
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (!(Math.abs(Math.sqrt(squares) - 1) < UNIT_TOLERANCE)) {
    throw new Error(`a vector is not of unit length (squared length ${squares})`);
  }
}

/** A unit vector as little-endian float32; throws as `assertUnit` does. */
export function vectorBlob(vector: Float32Array): Buffer {
  assertUnit(vector);
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Several vectors in one blob, one after the other; null for none. */
export function packVectors(vectors: readonly Float32Array[]): Buffer | null {
  return vectors.length === 0 ? null : Buffer.concat(vectors.map(vectorBlob));
}

/** The vectors of a blob of `packVectors`. */
export function unpackVectors(blob: Buffer): Float32Array[] {
  // Copied: a blob's memory need not begin where floats may.
  const floats = new Float32Array(new Uint8Array(blob).buffer);
  const count = Math.floor(floats.length / DIMENSIONS);
  return Array.from({ length: count }, (_, index) =>
    floats.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS),
  );
}

/** Cosine of two unit vectors. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
