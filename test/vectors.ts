import { loadVectorExtension } from '../src/store/search/vectors/extension.ts';
import { Database } from '../src/store/sqlite.ts';
import { keepStatements } from '../src/store/statements.ts';

/** Gives a connection the SQL functions of sqlite-vec. */
export function withVectors(db: Database.Database): Database.Database {
  const fault = loadVectorExtension(db);
  if (fault !== null) throw fault;
  return db;
}

/** A database in memory that can be searched by vector. */
export function openInMemory(): Database.Database {
  return withVectors(keepStatements(new Database(':memory:')));
}

/** Another store in memory, with what `serialize()` gave of the first; that is far quicker than making it anew. */
export function copyInMemory(content: Buffer): Database.Database {
  const db = withVectors(keepStatements(new Database(content)));
  db.pragma('foreign_keys = ON');
  return db;
}
