import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { load } from 'sqlite-vec';
import { openForReading, openForWriting } from '../../../src/store/open.ts';
import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
import type { VectorSeries } from './vectors.ts';

/** Another nearest-neighbour index, filled along with the store. */
export interface Baseline {
  name: string;
  /** Most vectors that it is filled with; more would take too long. */
  maxVectors: number;
  /** Adds the vectors with ids `from` to `to` (included). */
  fill(series: VectorSeries, from: number, to: number): void;
  /** Ids of the nearest, nearest first. */
  nearest(query: Float32Array, depth: number): number[];
  close(): void;
}

export const ADD_HNSW =
  'hnswlib-node is missing from the comparison; add it with: npm i --no-save hnswlib-node';

/** Plain sqlite-vec: cosines of float32 in a file, opened like the store. */
export function openSqliteVec(path: string): Baseline {
  const isNew = !existsSync(path);
  const writer = openForWriting(path);
  load(writer);
  writer.pragma('synchronous = OFF');
  if (isNew) {
    writer.exec(
      `CREATE VIRTUAL TABLE card USING vec0(vector float[${DIMENSIONS}] distance_metric=cosine)`,
    );
  }
  let reader: Database | undefined;
  return {
    name: 'sqlite-vec, float32',
    maxVectors: Number.POSITIVE_INFINITY,
    fill(series, from, to) {
      const insert = writer.prepare('INSERT INTO card (rowid, vector) VALUES (?, ?)');
      for (let start = from; start <= to; start += 10_000) {
        writer.transaction(() => {
          for (let id = start; id <= Math.min(to, start + 9_999); id += 1) {
            insert.run(BigInt(id), series(id - 1));
          }
        })();
        writer.pragma('wal_checkpoint(PASSIVE)');
      }
    },
    nearest(query, depth) {
      if (reader === undefined) {
        reader = openForReading(path);
        load(reader);
      }
      return reader
        .prepare<[Float32Array, number], number>(
          'SELECT rowid FROM card WHERE vector MATCH ? AND k = ? ORDER BY distance',
        )
        .pluck()
        .all(query, depth);
    },
    close() {
      reader?.close();
      writer.close();
    },
  };
}

interface Graph {
  initIndex(capacity: number, m: number, efConstruction: number, seed: number): void;
  addPoint(point: number[], label: number): void;
  setEf(ef: number): void;
  searchKnn(point: number[], k: number): { neighbors: number[] };
}

const HNSW = { maxVectors: 100_000, m: 16, efConstruction: 100, ef: 100, seed: 100 };

/** An approximate graph index in memory; null if the package is not installed. */
export async function openHnsw(): Promise<Baseline | null> {
  const name = 'hnswlib-node';
  const library: unknown = await import(name).catch(() => null);
  if (library === null) return null;
  const graph = makeGraph(library);
  graph.initIndex(HNSW.maxVectors, HNSW.m, HNSW.efConstruction, HNSW.seed);
  graph.setEf(HNSW.ef);
  return {
    name: `hnswlib-node, float32, M ${HNSW.m}, ef ${HNSW.ef}`,
    maxVectors: HNSW.maxVectors,
    fill(series, from, to) {
      for (let id = from; id <= to; id += 1) graph.addPoint([...series(id - 1)], id);
    },
    nearest: (query, depth) => graph.searchKnn([...query], depth).neighbors,
    close() {},
  };
}

function makeGraph(library: unknown): Graph {
  const found = property(property(library, 'default') ?? library, 'HierarchicalNSW');
  const graph: unknown =
    typeof found === 'function' ? Reflect.construct(found, ['cosine', DIMENSIONS]) : null;
  if (!isGraph(graph)) throw new Error('hnswlib-node has changed: HierarchicalNSW is missing');
  return graph;
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function isGraph(value: unknown): value is Graph {
  return ['initIndex', 'addPoint', 'setEf', 'searchKnn'].every(
    (name) => typeof property(value, name) === 'function',
  );
}
