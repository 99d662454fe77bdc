import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from './float32.ts';
import { SCALE_BYTES, VECTOR_BYTES } from './int8.ts';

/**
 * The signs of all vectors of an index, one bit per component, in a table of sqlite-vec (`vec0`) that finds
 * the nearest of them. It is made when the first vector is written.
 */

/** Larger chunks take longer: sqlite-vec sorts the nearest of each. */
const CHUNK_CARDS = 256;

/** SQL for the signs of a vector that is packed as in `int8.ts`. */
export function bitsOf(vector: string): string {
  return `vec_quantize_binary(vec_int8(substr(${vector}, ${SCALE_BYTES + 1})))`;
}

/**
 * Makes the signs of a card those of its vector, if it has one. Call it inside the transaction that
 * writes the vector. Does nothing on a connection that could not load sqlite-vec; the next sync that
 * has it makes up for that (`mendBits`).
 */
export function renewBits(db: Database, name: string, id: number): void {
  if (!hasVectorExtension(db)) return;
  if (!hasTable(db, name)) {
    createBits(db, name);
    return;
  }
  db.prepare(`DELETE FROM ${name}_bits WHERE rowid = @id`).run({ id });
  db.prepare(`
    INSERT INTO ${name}_bits (rowid, bits)
    SELECT id, ${bitsOf('vector')} FROM ${name}_vector WHERE id = @id`).run({ id });
}

/**
 * Makes the table, with the signs of all vectors: where sqlite-vec could not be loaded, they were written
 * without. Leaves out damaged vectors of another length, at which sqlite-vec throws.
 */
export function createBits(db: Database, name: string): void {
  db.exec(`
    CREATE VIRTUAL TABLE ${name}_bits
    USING vec0(bits bit[${DIMENSIONS}], chunk_size = ${CHUNK_CARDS});
    INSERT INTO ${name}_bits (rowid, bits)
    SELECT id, ${bitsOf('vector')} FROM ${name}_vector WHERE length(vector) = ${VECTOR_BYTES}`);
}

/** Whether an index has signs that this connection can read. */
export function hasBits(db: Database, name: string): boolean {
  return hasTable(db, name) && hasVectorExtension(db);
}

function hasTable(db: Database, name: string): boolean {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = @table");
  return table.get({ table: `${name}_bits` }) !== undefined;
}

function hasVectorExtension(db: Database): boolean {
  return db.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'vec0'").get() !== undefined;
}
