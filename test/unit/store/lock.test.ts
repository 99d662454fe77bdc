import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { isLocked, LockHeldError, withProcessLock } from '../../../src/store/lock.ts';
import { compile } from '../../program.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { startScript } from './start-script.ts';

/** src/store/lock.ts, for other processes. */
let compiled: string;
beforeAll(async () => {
  compiled = await compile('src/store/lock.ts');
});

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'lock');
});

/** Another process that takes the lock and does not release it. */
async function holdElsewhere() {
  const { child, firstOutput } = startScript(
    `
    import { withProcessLock } from ${JSON.stringify(compiled)};
    await withProcessLock(process.argv[1], () => {
      process.stdout.write('held');
      // Work that nothing could end would be garbage-collected, and its lock with it.
      return new Promise((resolve) => setInterval(() => resolve === null, 1000));
    });`,
    path,
  );
  await firstOutput;
  return child;
}

it('callers of a lock run one at a time, and each gets its own result', async () => {
  let inside = 0;
  const work = (name: number) => async () => {
    inside += 1;
    expect(inside).toBe(1);
    await delay(10);
    inside -= 1;
    return name;
  };
  const results = [1, 2, 3, 4].map((name) => withProcessLock(path, work(name)));
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
});

it('a lock is released when its work fails', async () => {
  const failing = withProcessLock(path, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(isLocked(path)).toBe(false);
});

it('a caller waits for another process without blocking, until a signal ends the wait', async () => {
  await holdElsewhere();
  const stopping = new AbortController();
  const onWait = vi.fn();
  // The timer fires only if the wait does not block the event loop.
  setTimeout(() => stopping.abort(new Error('enough')), 300);
  const { signal } = stopping;
  const waiting = withProcessLock(path, async () => 'never', { signal, onWait });
  await expect(waiting).rejects.toThrow('enough');
  expect(onWait).toHaveBeenCalledTimes(1);
  const late = withProcessLock(`${path}-free`, async () => 'never', { signal });
  await expect(late).rejects.toThrow('enough');
});

it('a lock stays closed to other processes while a second caller in the same process waits for it', async () => {
  let release = () => {};
  const holding = withProcessLock(path, () => new Promise<void>((resolve) => (release = resolve)));
  await delay(20);
  expect(isLocked(path)).toBe(true);
  const waiting = withProcessLock(path, async () => {});
  const script = `
    import { isLocked } from ${JSON.stringify(compiled)};
    process.stdout.write(String(isLocked(process.argv[1])));`;
  expect(await startScript(script, path).firstOutput).toBe('true');
  release();
  await Promise.all([holding, waiting]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a lock is refused after the maximum wait, and free once its holder is killed', async () => {
  const holder = await holdElsewhere();
  const waiting = withProcessLock(path, async () => {}, { heldMessage: 'It is held.' });
  await expect(waiting).rejects.toBeInstanceOf(LockHeldError);
  holder.kill('SIGKILL');
  await withProcessLock(path, async () => {});
  expect(readdirSync(directory)).toEqual(['lock']);
});
