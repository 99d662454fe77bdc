import { DIMENSIONS } from '../vectors.ts';
import { PACKED_BYTES, type Rows, unpackRows } from './quantise.ts';

/** `kernel.wat`, compiled: WebAssembly with SIMD, which every Node from 16 on runs. */
export const KERNEL_BASE64 =
  'AGFzbQEAAAABCwFgB39/f39/f30AAg8BA2VudgZtZW1vcnkCAAEDAgEABwkBBXNjb3JlAAAKrAIBqQICA38D' +
  'eyABIARBgANsaiEHIAIgBEECdGohAiADIARBAnRqIQMCQANAIAQgBU8NAf0MAAAAAAAAAAAAAAAAAAAAACEL' +
  '/QwAAAAAAAAAAAAAAAAAAAAAIQwgACEJIAdBgANqIQgDQCAH/QAEACEKIAsgCv2HASAJ/QAEAP26Af2uASEL' +
  'IAwgCv2IASAJ/QAEEP26Af2uASEMIAf9AAQQIQogCyAK/YcBIAn9AAQg/boB/a4BIQsgDCAK/YgBIAn9AAQw' +
  '/boB/a4BIQwgB0EgaiEHIAlBwABqIQkgByAISQ0ACyALIAz9rgEhCyADIAYgAioCAJQgC/0bACAL/RsBaiAL' +
  '/RsCIAv9GwNqarKUOAIAIAJBBGohAiADQQRqIQMgBEEBaiEEDAALCws=';

/** Largest value of a query's component: 15 bits and a sign. */
const QUERY_LARGEST = 32_767;
const PAGE_BYTES = 65_536;
const QUERY_BYTES = 2 * DIMENSIONS;
const ROW_BYTES = DIMENSIONS + 4 + 4;

type Score = (
  query: number,
  rows: number,
  scales: number,
  out: number,
  from: number,
  to: number,
  unit: number,
) => void;

/** Room for `capacity` quantised vectors, and the cosines of all of them with a query. */
export interface Bench extends Rows {
  readonly capacity: number;
  /** Cosine of each row with the last query, after `score`. */
  readonly cosines: Float32Array;
  /** Computes the cosines of rows `from` to `to` (not included) with a unit vector. */
  score(query: Float32Array, from: number, to: number): void;
}

let compiled: WebAssembly.Module | undefined;

/** Memory outside V8's heap: about 392 bytes per vector. */
export function createBench(capacity: number): Bench {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_BASE64, 'base64'));
  const rows = QUERY_BYTES;
  const scales = rows + capacity * DIMENSIONS;
  const out = scales + capacity * 4;
  const pages = Math.ceil((QUERY_BYTES + capacity * ROW_BYTES) / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  const score = exports.score as Score;
  const quantised = new Int16Array(memory.buffer, 0, DIMENSIONS);
  return {
    capacity,
    count: capacity,
    components: new Int8Array(memory.buffer, rows, capacity * DIMENSIONS),
    scales: new Float32Array(memory.buffer, scales, capacity),
    cosines: new Float32Array(memory.buffer, out, capacity),
    score(query, from, to) {
      let largest = 0;
      for (const component of query) largest = Math.max(largest, Math.abs(component));
      if (largest === 0) return;
      for (let at = 0; at < DIMENSIONS; at += 1) {
        quantised[at] = Math.round(((query[at] ?? 0) / largest) * QUERY_LARGEST);
      }
      score(0, rows, scales, out, from, to, largest / QUERY_LARGEST);
    },
  };
}

let scratch: Bench | undefined;

/**
 * The largest cosine of a query with the vectors of each group (`packRows`); -1 where a group has
 * none.
 */
export function bestCosines(query: Float32Array, groups: readonly Uint8Array[]): number[] {
  const needed = groups.reduce((sum, { length }) => sum + Math.floor(length / PACKED_BYTES), 0);
  if (scratch === undefined || scratch.capacity < needed)
    scratch = createBench(Math.max(1_024, needed));
  const { cosines } = scratch;
  const ends: number[] = [];
  let used = 0;
  for (const packed of groups) {
    used += unpackRows(packed, scratch, used);
    ends.push(used);
  }
  scratch.score(query, 0, used);
  let row = 0;
  return ends.map((end) => {
    let best = -1;
    for (; row < end; row += 1) best = Math.max(best, cosines[row] ?? -1);
    return best;
  });
}
