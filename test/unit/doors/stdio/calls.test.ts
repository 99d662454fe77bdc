import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallQueue } from '../../../../src/doors/stdio/calls.ts';

/** Calls that work until they are released; some first wait for an upstream. */
function place() {
  const output = { isFull: false };
  const queue = new CallQueue(() => output.isFull);
  const started: number[] = [];
  const releases = new Map<number, () => void>();
  const call = (id: number, { signal = new AbortController().signal, isWaiting = false } = {}) =>
    queue.run(signal, async (waits) => {
      started.push(id);
      if (signal.aborted) return;
      const goOn = isWaiting ? waits() : undefined;
      await new Promise<void>((resolve) => releases.set(id, resolve));
      goOn?.();
    });
  return { output, queue, started, call, release: (id: number) => releases.get(id)?.() };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

it('eight calls run at once, the others in their order', async () => {
  const { started, call, release } = place();
  for (const id of ids(0, 12)) void call(id);
  await turns();
  expect(started).toEqual(ids(0, 8));
  release(3);
  release(5);
  await turns();
  expect(started).toEqual(ids(0, 10));
});

it('calls that wait for an upstream keep nobody from a place', async () => {
  const { started, call } = place();
  for (const id of ids(0, 20)) void call(id, { isWaiting: true });
  void call(20);
  await turns();
  expect(started).toEqual(ids(0, 21));
});

it('a call that is cancelled while it waits for its turn leaves at once', async () => {
  const { started, call } = place();
  for (const id of ids(0, 9)) void call(id);
  const cancelling = new AbortController();
  const ninth = call(9, { signal: cancelling.signal });
  await turns();
  cancelling.abort();
  await ninth;
  expect(started).toEqual([...ids(0, 8), 9]);
});

it('no call starts while the client does not read', async () => {
  const { output, queue, started, call } = place();
  output.isFull = true;
  void call(0);
  await turns();
  expect(started).toEqual([]);
  output.isFull = false;
  queue.advance();
  await turns();
  expect(started).toEqual([0]);
});

it('is idle when no call is at work', async () => {
  const { queue, call, release } = place();
  const answered = call(0);
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await turns();
  expect(isIdle).toBe(false);
  release(0);
  await answered;
  await idle;
});
