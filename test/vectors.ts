import { loadVectorExtension } from '../src/store/search/vectors/extension.ts';
import { Database } from '../src/store/sqlite.ts';

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
