import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from '../open.ts';
import { searchHere } from './search-here.ts';
import type { SearchIndex } from './search-index.ts';
import { type Answered, type Asked, fileAt, type Store } from './thread.ts';

/** The program of the search thread: one connection to the store named, questions in, hits out. */
const { path, file }: Store = workerData;
const db = openForReading(path);
if (fileAt(path) !== file) throw new Error('another file lies in place of the store');
const indexes = new Map<string, SearchIndex>();

async function answer({ number, name, index, query }: Asked): Promise<Answered> {
  try {
    const known = index ?? indexes.get(name);
    if (known === undefined) throw new Error(`nobody told of the index ${name}`);
    indexes.set(name, known);
    return { number, hits: await searchHere(db, known, query) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return { number, message, ...(code === undefined ? {} : { code }) };
  }
}

parentPort?.on('message', async (asked: Asked) => parentPort?.postMessage(await answer(asked)));
