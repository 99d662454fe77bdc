import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findModelIn } from '../../scripts/model.ts';
import { changeModel } from '../../src/app/change-model.ts';
import { type Embedder, loadEmbedder } from '../../src/embedding/embedder.ts';
import { MODEL_STAMP } from '../../src/embedding/model.ts';
import type { EmbedderFiles } from '../../src/embedding/runtime.ts';
import { claimModel, modelChange, storedModel } from '../../src/store/embedding-model.ts';
import { openForWriting } from '../../src/store/open.ts';
import { compile } from '../program.ts';
import { copyStarter } from '../starter.ts';
import { addRecord, modelNamed } from '../unit/embedding/model-records.ts';
import { REAL_MODELS } from '../unit/embedding/real-model.ts';

const PAPERS = 20;
const EVENTS = 5;
const CHILD = 'test/package/change-model-child.ts';

const scratch = mkdtempSync(join(tmpdir(), 'quantshelf-models-'));
const [modelDir, path] = [join(scratch, 'models'), join(scratch, 'store.sqlite')];
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(() => {
  addRecord(modelDir, 'first/copy');
  addRecord(modelDir, 'second/copy', { queryPrefix: 'query: ' });
});

describe.skipIf(REAL_MODELS === undefined)('a shelf that changes its model', () => {
  let db: Database;
  let embedders: Embedder[];
  let before: Vectors;
  let files: EmbedderFiles;

  beforeAll(async () => {
    await copyStarter(path);
    db = openForWriting(path);
    shrink(db);
    before = vectorsOf(db);
    const found = await findModelIn(REAL_MODELS ?? '');
    if (found === null) throw new Error('the real model is not here');
    files = found;
    const models = [
      await modelNamed(modelDir, 'first/copy'),
      await modelNamed(modelDir, 'second/copy'),
    ];
    embedders = await Promise.all(
      models.map((model) => loadEmbedder(files, { threads: 1, model })),
    );
  }, 120_000);
  afterAll(async () => {
    db.close();
    for (const embedder of embedders) await embedder.close();
  });

  const change = (embedder: Embedder | undefined, signal = new AbortController().signal) => {
    if (embedder === undefined) throw new Error('no embedder');
    return changeModel(db, embedder, { signal, onProgress: () => {} });
  };

  it('survives a kill in the middle: no vector of the former model is left, and it goes on', async () => {
    const first = embedders[0];
    const child = spawn(
      process.execPath,
      [await compile(CHILD), path, modelDir, JSON.stringify(files), 'first/copy'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await ended;
    expect(storedModel(db)).toBe(first?.stamp);
    expect(modelChange(db)).toBe('embedding');
    const { cards } = vectorsOf(db);
    expect(cards.length).toBeGreaterThan(0);
    expect(cards.length).toBeLessThan(before.cards.length);
    expect(() => claimModel(db, MODEL_STAMP)).toThrow('cannot take any');

    await change(first);
    expect(modelChange(db)).toBeNull();
    // The same weights: what was made anew is what the package holds, texts and notes of ours included.
    const after = vectorsOf(db);
    expect(after.cards.map(({ id }) => id)).toEqual(before.cards.map(({ id }) => id));
    expect(after.sections).toEqual(before.sections);
    expect(after.summaries).toEqual(before.summaries);
    for (const [at, { vector }] of after.cards.entries()) {
      expect(cosine(vector, before.cards[at]?.vector)).toBeGreaterThan(0.999);
    }
  }, 180_000);

  it('begins anew with a third model while the change to the second is unfinished', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(change(embedders[1], stopped)).rejects.toThrow('stopped');
    expect(modelChange(db)).toBe('dropping');
    await change(embedders[0]);
    expect(storedModel(db)).toBe(embedders[0]?.stamp);
    expect(modelChange(db)).toBeNull();
    expect(vectorsOf(db).cards.length).toBe(before.cards.length);
  }, 180_000);

  it('embeds queries with their prefix, and texts without', async () => {
    const [plain, prefixed] = embedders;
    const vector = async (embedder: Embedder | undefined, text: string, as?: 'query') =>
      (await embedder?.embed([text], as))?.[0];
    expect(await vector(prefixed, 'rates', 'query')).toEqual(await vector(plain, 'query: rates'));
    expect(await vector(prefixed, 'rates')).toEqual(await vector(plain, 'rates'));
  });
});

interface Vectors {
  cards: { id: number; vector: Buffer }[];
  sections: number;
  summaries: string[];
}

function vectorsOf(db: Database): Vectors {
  const list = <T>(sql: string) => db.prepare<[], T>(sql).all();
  return {
    cards: list(`
      SELECT id, vector FROM paper_vector UNION ALL SELECT -id, vector FROM market_event_vector
      ORDER BY id`),
    sections: list('SELECT 1 FROM paper_section WHERE embedding IS NOT NULL').length,
    summaries: db.prepare<[], string>('SELECT summary || tags FROM paper').pluck().all(),
  };
}

/** Leaves a few cards. */
function shrink(db: Database): void {
  db.exec(`
    DELETE FROM paper WHERE id > ${PAPERS};
    DELETE FROM paper_section WHERE paper_id > ${PAPERS};
    DELETE FROM paper_vector WHERE id > ${PAPERS};
    DELETE FROM paper_passages WHERE id > ${PAPERS};
    CREATE TEMP TABLE kept AS SELECT id FROM market_event ORDER BY id LIMIT ${EVENTS};
    DELETE FROM market_event_vector WHERE id NOT IN (SELECT id FROM kept);
    DELETE FROM market_event WHERE id NOT IN (SELECT id FROM kept)`);
}

/** Of two packed int8 vectors. */
function cosine(a: Buffer, b: Buffer | undefined): number {
  if (b === undefined) return 0;
  const [x, y] = [a, b].map((one) => new Int8Array(one.subarray(4)));
  let [dot, xx, yy] = [0, 0, 0];
  for (const [at, value] of (x ?? []).entries()) {
    const other = y?.[at] ?? 0;
    dot += value * other;
    xx += value * value;
    yy += other * other;
  }
  return dot / Math.sqrt(xx * yy);
}
