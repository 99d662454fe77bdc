import { DIMENSIONS } from '../src/search/vectors.ts';
import { Database, loadVectorExtension } from '../src/store/sqlite.ts';

/** Gives a connection the SQL functions of sqlite-vec. */
export function withVectors(db: Database.Database): Database.Database {
  const fault = loadVectorExtension(db);
  if (fault !== null) throw fault;
  return db;
}

/** A database in memory that can be searched by vector. */
export function openInMemory(): Database.Database {
  return withVectors(new Database(':memory:'));
}

/** An in-memory copy of a store from its `serialize()`, far faster to make than a new store. */
export function copyInMemory(content: Buffer): Database.Database {
  const db = withVectors(new Database(content));
  db.pragma('foreign_keys = ON');
  return db;
}

/**
 * One of 383 orthogonal unit vectors. Their components are small like the model's: the store has a byte per
 * component and would clip a vector along an axis.
 */
export function axis(index: number): Float32Array {
  const frequency = 1 + (index % (DIMENSIONS - 1));
  return Float32Array.from(
    { length: DIMENSIONS },
    (_, at) =>
      Math.sqrt(2 / DIMENSIONS) * Math.cos((Math.PI * (at + 0.5) * frequency) / DIMENSIONS),
  );
}

/** A unit vector between two axes, with a `share` of the first. */
export function between(a: number, b: number, share: number): Float32Array {
  const other = axis(b);
  return axis(a).map((one, at) => share * one + Math.sqrt(1 - share * share) * (other[at] ?? 0));
}
