import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { withProcessLock } from '../../../src/store/lock.ts';

/** A child process that repeatedly logs when it acquires and releases the lock. */
const [path = '', log = '', rounds = '0'] = process.argv.slice(2);
for (let round = 0; round < Number(rounds); round += 1) {
  await withProcessLock(path, async () => {
    appendFileSync(log, `in ${process.pid}\n`);
    await delay(2);
    appendFileSync(log, `out ${process.pid}\n`);
  });
}
