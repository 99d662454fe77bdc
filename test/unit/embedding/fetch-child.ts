import { fetchModel } from '../../../src/embedding/fetch.ts';
import { NpmError } from '../../../src/embedding/npm.ts';
import { withProcessLock } from '../../../src/store/lock.ts';
import { createHttpClient } from '../../../src/upstream/client.ts';
import { TINY } from './tiny-model.ts';

/** One more process that wants the tiny model: `fetch-child.ts HOME HUB_URL`; prints where from. */
const [home = '', hubUrl = ''] = process.argv.slice(2);
const client = createHttpClient({
  userAgent: 'test',
  now: () => new Date(),
  paceMs: 1,
  longestWaitMs: 60_000,
});
const { source } = await fetchModel({
  home,
  hubUrl,
  model: TINY,
  download: client.download,
  npmPack: () => Promise.reject(new NpmError('no npm here')),
  withLock: withProcessLock,
});
await client.close();
process.stdout.write(source);
