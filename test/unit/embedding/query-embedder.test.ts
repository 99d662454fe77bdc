import { once } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Embedder } from '../../../src/embedding/embedder.ts';
import { MODEL_STAMP } from '../../../src/embedding/pinned.ts';
import {
  createQueryEmbedder,
  type QueryEmbedderOptions,
} from '../../../src/embedding/query-embedder.ts';

type QueryEmbedder = ReturnType<typeof createQueryEmbedder>;

const MINUTE = 60_000;

let time: number;
let present: boolean;
let logged: string[];
/** These tests do not depend on meaning. */
const model = {
  embed: async (texts: readonly string[]) => texts.map((text) => Float32Array.of(text.length)),
  isWord: (word: string) => word === 'rate',
  close: vi.fn(async () => {}),
} satisfies Embedder;
const find = vi.fn(async () => (present ? 'directory' : null));
const load = vi.fn(async () => model);
let tested: QueryEmbedder;

beforeEach(() => {
  time = Date.parse('2026-03-01T12:00:00Z');
  present = true;
  logged = [];
  vi.clearAllMocks();
});

afterEach(() => tested.close());

function start(options: Partial<QueryEmbedderOptions<unknown>> = {}): QueryEmbedder {
  tested = createQueryEmbedder({
    stored: () => MODEL_STAMP,
    find,
    load,
    fetch: null,
    now: () => new Date(time),
    log: (line) => logged.push(line),
    ...options,
  });
  return tested;
}

async function sentence(embedder: QueryEmbedder): Promise<string> {
  const result = await embedder.embedQuery('query');
  return 'unavailable' in result ? result.unavailable : 'a vector';
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('an embedder loads the model on the first query, once for concurrent callers', async () => {
  const embedder = start();
  expect(find).not.toHaveBeenCalled();
  const vectors = await Promise.all(['a', 'bb'].map((text) => embedder.embedQuery(text)));
  expect(vectors).toEqual([{ vector: Float32Array.of(1) }, { vector: Float32Array.of(2) }]);
  expect(find).toHaveBeenCalledTimes(1);
  expect(load).toHaveBeenCalledTimes(1);
});

it("an embedder does not load its model if another model made the store's vectors", async () => {
  const embedder = start({ stored: () => 'other/model@q8/cls' });
  expect(await sentence(embedder)).toMatch(
    /if that version is newer, upgrade.*if it is older, move/,
  );
  expect(await embedder.embedTexts(['text'])).toBeNull();
  expect(load).not.toHaveBeenCalled();
  await embedder.close();
  expect(await sentence(start({ stored: () => undefined }))).toBe('a vector');
});

it('an embedder reports a model that cannot be loaded, and retries ten minutes later', async () => {
  load.mockRejectedValueOnce(new Error('the native binary is missing'));
  const embedder = start();
  expect(await sentence(embedder)).toContain('could not be loaded');
  expect(await sentence(embedder)).not.toContain('native');
  expect(logged).toEqual([expect.stringContaining('the native binary is missing')]);
  time += 10 * MINUTE;
  expect(await sentence(embedder)).toBe('a vector');
});

it('an embedder logs that its model returned no vector, and reports a model that could not be loaded', async () => {
  load.mockResolvedValueOnce({ ...model, embed: async () => [] });
  expect(await sentence(start())).toContain('could not be loaded');
  expect(logged).toEqual([expect.stringContaining('the model returned no vector')]);
});

it('an offline embedder says how to get a missing model, and finds it once it has arrived', async () => {
  present = false;
  const embedder = start({ isOffline: true });
  expect(await sentence(embedder)).toBe(
    'Lexical search only: the embedding model or its runtime is not on this machine; unset QUANTSHELF_OFFLINE, then run `quantshelf model` once.',
  );
  present = true;
  time += 5_000;
  expect(await sentence(embedder)).toBe('a vector');
});

it('an embedder that may not download treats a damaged copy as missing, and logs it once for queries in quick succession', async () => {
  find.mockRejectedValueOnce(new Error('wrong sha256'));
  const embedder = start();
  expect(await sentence(embedder)).toContain('not on this machine');
  expect(await embedder.isWord('rate')).toBe(false);
  expect(await sentence(embedder)).toContain('not on this machine');
  expect(logged).toEqual([expect.stringContaining('wrong sha256')]);
  expect(find).toHaveBeenCalledTimes(1);
});

it('an online embedder downloads a missing model once in the background, then uses it', async () => {
  present = false;
  const fetch = vi.fn(async () => {
    await settle();
    present = true;
  });
  const embedder = start({ fetch });
  expect(await sentence(embedder)).toContain('is being downloaded');
  expect(await sentence(embedder)).toContain('is being downloaded');
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(find).toHaveBeenCalledTimes(1);
  await settle();
  await settle();
  expect(await sentence(embedder)).toBe('a vector');
});

it('an online embedder retries a failed download after ten minutes, unless the model arrives by other means', async () => {
  present = false;
  const fetch = vi.fn(() => Promise.reject(new Error('no network')));
  const embedder = start({ fetch });
  expect(await sentence(embedder)).toContain('is being downloaded');
  await settle();
  for (let minute = 0; minute < 9; minute += 1) {
    time += MINUTE;
    expect(await sentence(embedder)).toContain('could not be downloaded');
  }
  expect(fetch).toHaveBeenCalledTimes(1);
  time += MINUTE;
  expect(await sentence(embedder)).toContain('is being downloaded');
  await settle();
  expect(fetch).toHaveBeenCalledTimes(2);
  time += MINUTE;
  present = true;
  expect(await sentence(embedder)).toBe('a vector');
  expect(logged.join()).toContain('no network');
});

it('closing an embedder aborts a download and waits for it to end', async () => {
  present = false;
  let stopped = false;
  const fetch = async (signal: AbortSignal) => {
    await once(signal, 'abort');
    await settle();
    stopped = true;
    throw signal.reason;
  };
  const embedder = start({ fetch });
  await sentence(embedder);
  await embedder.close();
  expect(stopped).toBe(true);
  expect(logged).toEqual([]);
  expect(await sentence(embedder)).toContain('shutting down');
});

it('closing an embedder waits for a model that is loading, and frees it', async () => {
  load.mockImplementationOnce(() =>
    settle()
      .then(settle)
      .then(() => model),
  );
  const embedder = start();
  const query = sentence(embedder);
  await settle();
  await Promise.all([embedder.close(), embedder.close()]);
  expect(model.close).toHaveBeenCalledTimes(1);
  expect(await query).toBe('a vector');
});
