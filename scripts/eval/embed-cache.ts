import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Embedder, loadEmbedder } from '../../src/embedding/embedder.ts';
import { MODEL_STAMP } from '../../src/embedding/model.ts';
import { Database } from '../../src/store/sqlite.ts';
import { findModelIn, givenModels } from '../model.ts';

/** Where vectors are kept between runs; it can be deleted at any time. */
const DIRECTORY = 'node_modules/.cache/quantshelf';
/** Texts per batch; their vectors are stored together. */
const AT_ONCE = 256;

/** The model with a cache keyed by the hash of each text, so that a second run takes seconds. */
export interface CachedEmbedder {
  /** One unit vector per text, in order. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Whether the model's vocabulary holds a word. */
  isWord(word: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the cache; the model is loaded for the first text that is not in it. */
export function openCachedEmbedder(onProgress: (line: string) => void): CachedEmbedder {
  mkdirSync(DIRECTORY, { recursive: true });
  const db = new Database(join(DIRECTORY, 'embeddings.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec('CREATE TABLE IF NOT EXISTS embedding (hash TEXT PRIMARY KEY, vector BLOB) STRICT');
  const find = db.prepare<[string], Buffer>('SELECT vector FROM embedding WHERE hash = ?').pluck();
  const keep = db.prepare('INSERT OR REPLACE INTO embedding (hash, vector) VALUES (?, ?)');
  let embedder: Promise<Embedder> | undefined;
  return {
    async embed(texts) {
      const missing = [...new Set(texts)].filter((text) => find.get(hashOf(text)) === undefined);
      for (let start = 0; start < missing.length; start += AT_ONCE) {
        embedder ??= loadModel();
        const group = missing.slice(start, start + AT_ONCE);
        const vectors = await (await embedder).embed(group);
        db.transaction(() => {
          for (const [index, text] of group.entries()) {
            const vector = vectors[index];
            if (vector === undefined)
              throw new Error('the model returned fewer vectors than texts');
            keep.run(hashOf(text), Buffer.from(new Uint8Array(Float32Array.from(vector).buffer)));
          }
        })();
        if (missing.length > 2 * AT_ONCE)
          onProgress(`embedded ${start + group.length} of ${missing.length} texts`);
      }
      return texts.map((text) => {
        const blob = find.get(hashOf(text));
        if (blob === undefined) throw new Error('a vector is missing from the cache');
        return new Float32Array(new Uint8Array(blob).buffer);
      });
    },
    async isWord(word) {
      embedder ??= loadModel();
      return (await embedder).isWord(word);
    },
    async close() {
      await (await embedder)?.close();
      db.close();
    },
  };
}

/** The cached vectors except those of some texts, in order of hash; empty without a cache. */
export function readCachedVectors(except: readonly string[]): Float32Array[] {
  const path = join(DIRECTORY, 'embeddings.sqlite');
  if (!existsSync(path)) return [];
  const db = new Database(path);
  const rows = db
    .prepare<object, Buffer>(`
      SELECT vector FROM embedding
      WHERE hash NOT IN (SELECT value FROM json_each(@except)) ORDER BY hash`)
    .pluck()
    .all({ except: JSON.stringify(except.map(hashOf)) });
  db.close();
  return rows.map((blob) => new Float32Array(new Uint8Array(blob).buffer));
}

function hashOf(text: string): string {
  return createHash('sha256').update(`${MODEL_STAMP}\n${text}`).digest('base64url');
}

async function loadModel(): Promise<Embedder> {
  const files = await findModelIn(givenModels());
  if (files === null) {
    throw new Error('the model is not here: set QUANTSHELF_MODEL_DIR to a directory that holds it');
  }
  return loadEmbedder(files, { threads: 2 });
}
