import { expect, it } from 'vitest';
import { createParser } from '../../../../../src/areas/papers/full-text/parser.ts';

const MB = 1024 * 1024;
const thread = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
/** A script for the parser's thread that fills `count` buffers of 16 MB outside V8's heap. */
const greedy = (count: number) =>
  thread(`
      import { parentPort } from 'node:worker_threads';
      const pieces = [];
      const nobody = new Int32Array(new SharedArrayBuffer(4));
      for (let at = 0; at < ${count}; at += 1) {
        pieces.push(new Uint8Array(16 * 1024 * 1024).fill(at + 1));
        Atomics.wait(nobody, 0, 0, 30);
      }
      parentPort.postMessage({ ok: true, sections: [] });`);
const NO_MEMORY = { ok: false, reason: 'failed conversion' };
const { signal } = new AbortController();

it.each([
  ["terminates a thread that uses too much memory outside V8's heap", 40, NO_MEMORY],
  ['allows memory within the limit', 3, { ok: true, sections: [] }],
])('the parser %s', async (_, count, result) => {
  const parse = createParser(greedy(count), { maxGrowthBytes: 160 * MB });
  expect(await parse('', signal)).toEqual(result);
});

/** A script for a thread that has read two of nine pages when `fault` happens on the third. */
const stuckAfterTwo = (fault: string) =>
  thread(`
      import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
      const { document, parts } = workerData;
      if (document !== null) {
        parts.postMessage('first');
        parts.postMessage('second');
        await new Promise((done) => setTimeout(done, 50));
        ${fault};
      }
      const read = [receiveMessageOnPort(parts), receiveMessageOnPort(parts)];
      const sections = read.map(({ message }) => (
        { key: message, type: 'other', title: message, content: message }
      ));
      parentPort.postMessage({ ok: true, sections, cut: { lastPage: 2, pages: 9 } });`);

it.each([
  ['never ends', 'for (;;);'],
  ['crashes its thread', "throw new Error('damaged')"],
  ['ends its thread', 'process.exit(1)'],
])('the parser keeps the pages before one that %s, without rereading them', async (_, fault) => {
  const parse = createParser(stuckAfterTwo(fault), { longestMs: 3_000 });
  const result = await parse(new Uint8Array(9), signal);
  expect(result).toMatchObject({
    ok: true,
    sections: [{ key: 'first' }, { key: 'second' }],
    cut: { lastPage: 2, pages: 9 },
  });
});
