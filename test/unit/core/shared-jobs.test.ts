import { expect, it } from 'vitest';
import { SharedJobs } from '../../../src/core/shared-jobs.ts';

/** A job that runs until it is stopped or told to finish. */
function startJob(jobs = new SharedJobs()) {
  let finish = () => {};
  let stopped: unknown;
  const job = jobs.start('name', (signal) => {
    return new Promise((resolve) => {
      finish = resolve;
      signal.addEventListener('abort', () => {
        stopped = signal.reason;
        resolve();
      });
    });
  });
  return { jobs, job, finish: () => finish(), stopped: () => stopped };
}

const aborter = () => new AbortController();
const isUp = () => false;

it('a job that is kept, or that a caller was told is pending, continues after its callers leave', async () => {
  for (const told of [false, true]) {
    const { job, finish, stopped } = startJob();
    if (told) expect(await job.attend(0, isUp, aborter().signal)).toBe('pending');
    else job.keep();
    const caller = aborter();
    const waiting = job.attend(10_000, isUp, caller.signal);
    caller.abort('left');
    await expect(waiting).rejects.toBe('left');
    expect(stopped()).toBeUndefined();
    finish();
    await job.done;
  }
});

/** A job being stopped because its only caller has left, which runs on until released. */
async function stopSlowJob(jobs: SharedJobs) {
  let end = () => {};
  const job = jobs.start('name', () => new Promise((resolve) => (end = resolve)));
  const caller = aborter();
  const waiting = job.attend(10_000, isUp, caller.signal);
  await Promise.resolve();
  caller.abort('left');
  await expect.poll(() => job.isStopped).toBe(true);
  return { waiting, end: () => end() };
}

it('a job that is being stopped is not shared, so the next caller starts a new one', async () => {
  const jobs = new SharedJobs();
  const { waiting, end } = await stopSlowJob(jobs);
  expect(jobs.find('name')).toBeUndefined();
  const next = startJob(jobs);
  end();
  await expect(waiting).rejects.toBe('left');
  expect(jobs.find('name')).toBe(next.job);
  await jobs.close();
  expect(jobs.find('name')).toBeUndefined();
});

it('closing the shared jobs waits for a job that was stopped earlier but has not ended yet', async () => {
  const jobs = new SharedJobs();
  const { waiting, end } = await stopSlowJob(jobs);
  let isClosed = false;
  const closing = jobs.close().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(false);
  end();
  await closing;
  await expect(waiting).rejects.toBe('left');
});
