import { quantise, SCALE_BYTES } from './int8.ts';
import { signsOf } from './table.ts';

/** SQL for the distances from a query to the rows of an index; bind `queryParams`. */

/** Bits in which the signs differ. */
export function hammingDistance(signs: string): string {
  return `vec_distance_hamming(vec_bit(${signs}), vec_bit(@signs))`;
}

/** 1 − cosine. */
export function cosineDistance(vector: string): string {
  return `vec_distance_cosine(vec_int8(substr(${vector}, ${SCALE_BYTES + 1})), vec_int8(@components))`;
}

/** The parameters of both for a unit vector. */
export function queryParams(query: Float32Array): { signs: Buffer; components: Buffer } {
  return { signs: signsOf(query), components: quantise([query]).subarray(SCALE_BYTES) };
}
