import { expect, it } from 'vitest';
import { runInSlices } from '../../../src/core/time.ts';

it('ends work that is cancelled at its slice, and lets it clean up', async () => {
  const cancelling = new AbortController();
  const steps: string[] = [];
  function* work() {
    try {
      steps.push('first');
      yield;
      cancelling.abort(new Error('nobody waits'));
      steps.push('second');
      yield;
      steps.push('third');
    } finally {
      steps.push('closed');
    }
  }
  await expect(runInSlices(work(), cancelling.signal)).rejects.toThrow('nobody waits');
  expect(steps).toEqual(['first', 'second', 'closed']);
});

it('does nothing of work that was cancelled before', async () => {
  const steps: string[] = [];
  function* work() {
    steps.push('first');
    yield;
  }
  const reason = new Error('nobody waits');
  await expect(runInSlices(work(), AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(steps).toEqual([]);
});
