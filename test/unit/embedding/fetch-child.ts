import { fetchModel } from '../../../src/embedding/fetch.ts';
import { createHttpClient } from '../../../src/upstream/client.ts';
import { TINY } from './tiny-model.ts';

/** One more process that fetches the tiny model: `fetch-child.ts HOME HUB_URL`. */
const [home = '', hubUrl = ''] = process.argv.slice(2);
const { download, close } = createHttpClient({
  userAgent: 'test',
  now: () => new Date(),
  paceMs: 1,
  longestWaitMs: 60_000,
});
const npmUrl = 'http://127.0.0.1:9';
const options = { home, hubUrl, npmUrl, env: {}, download };
await fetchModel(options, TINY);
await close();
