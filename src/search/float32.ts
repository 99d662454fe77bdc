/** Components of every vector in the store. */
export const DIMENSIONS = 384;
/** Tolerance for a vector's length, to allow for float32 rounding. */
const UNIT_TOLERANCE = 1e-3;

/**
 * Throws when a vector is not finite, not of length 1, or of the wrong dimension: one such row would
 * distort every ranking.
 */
export function assertUnit(vector: Float32Array): void {
  if (vector.length !== DIMENSIONS) {
    throw new Error(`a vector has ${vector.length} components instead of ${DIMENSIONS}`);
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
  // Copied, because a blob's memory may not be aligned for floats.
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
