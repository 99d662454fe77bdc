import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CANCELLED, type Outcome } from '../../../../src/core/run.ts';
import { CallQueue } from '../../../../src/doors/stdio/calls.ts';

const error = { code: 'invalid_request', message: 'm', requestId: 'r' } as const;
const ANSWERED: Outcome = { ok: false, status: 400, envelope: { error } };
const DROPPED: Outcome = { ok: false, status: CANCELLED, envelope: { error } };

/** Calls that work until they are released or, after that, cancelled. */
function place() {
  const output = { isFull: false };
  const queue = new CallQueue(() => output.isFull);
  const started: number[] = [];
  const releases = new Map<number, () => void>();
  const call = (id: number) => {
    queue.receive(id, 100);
    return queue.run(id, undefined, async (signal) => {
      started.push(id);
      if (signal.aborted) return DROPPED;
      await new Promise<void>((resolve) => releases.set(id, resolve));
      return signal.aborted ? DROPPED : ANSWERED;
    });
  };
  return { output, queue, started, call, release: (id: number) => releases.get(id)?.() };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

describe('calls', () => {
  it('run eight at once, the others in their order', async () => {
    const { started, call, release } = place();
    for (const id of ids(0, 12)) void call(id);
    await turns();
    expect(started).toEqual(ids(0, 8));
    release(3);
    release(5);
    await turns();
    expect(started).toEqual(ids(0, 10));
  });

  it('that were cancelled while they waited leave at once, without a place', async () => {
    const { queue, started, call } = place();
    for (const id of ids(0, 9)) void call(id);
    const ninth = call(9);
    await turns();
    expect(queue.cancel(9)).toBe(true);
    expect(await ninth).toBe(DROPPED);
    expect(started).toEqual([...ids(0, 8), 9]);
    expect(queue.settle(9)).toBe(false);
  });

  it('that are cancelled while they run keep their place until their work has ended', async () => {
    const { queue, started, call, release } = place();
    for (const id of ids(0, 9)) void call(id);
    await turns();
    queue.cancel(0);
    await turns();
    expect(started).toEqual(ids(0, 8));
    release(0);
    await turns();
    expect(started).toEqual(ids(0, 9));
  });

  it('that were cancelled together with their line never begin to work', async () => {
    const { queue, call } = place();
    const first = call(0);
    queue.cancel(0);
    expect(await first).toBe(DROPPED);
  });

  it('are answered unless the cancellation came in time', async () => {
    const { queue, call, release } = place();
    const answered = call(0);
    await turns();
    release(0);
    await answered;
    // Its answer is on its way.
    queue.cancel(0);
    expect(queue.settle(0)).toBe(true);
    expect(queue.cancel(0)).toBe(false);
  });

  it('do not start while the client does not read', async () => {
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
});

describe('lines', () => {
  it('are read while a reasonable number of calls wait', async () => {
    const { queue } = place();
    for (const id of ids(0, 9_999)) queue.receive(id, 100);
    await queue.room();
    queue.receive(9_999, 100);
    let hasRoom = false;
    void queue.room().then(() => {
      hasRoom = true;
    });
    await turns();
    expect(hasRoom).toBe(false);
    queue.settle(0);
    await turns();
    expect(hasRoom).toBe(true);
  });

  it('are read while the calls that wait take little memory', async () => {
    const { queue } = place();
    queue.receive(0, 17 * 1024 ** 2);
    let hasRoom = false;
    void queue.room().then(() => {
      hasRoom = true;
    });
    await turns();
    expect(hasRoom).toBe(false);
    queue.settle(0);
    await turns();
    expect(hasRoom).toBe(true);
  });
});

it('is idle when nothing runs and nothing has to be answered', async () => {
  const { queue, call, release } = place();
  const answered = call(0);
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await turns();
  release(0);
  await answered;
  await turns();
  expect(isIdle).toBe(false);
  queue.settle(0);
  await idle;
});
