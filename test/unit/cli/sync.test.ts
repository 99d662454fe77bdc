import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLazyApp } from '../../../src/app/lazy-app.ts';
import { runSync } from '../../../src/cli/sync.ts';
import { readConfig } from '../../../src/config.ts';
import type { Area } from '../../../src/core/area.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { listen } from '../../stand-ins/upstream.ts';
import { temporaryDirectory } from '../../temporary.ts';

/** The output of a sync that is stopped before it begins or, if `isRunning`, by its first request. */
async function stopSync(area: Area, isRunning: boolean): Promise<string> {
  const stopping = new AbortController();
  let reason: Error | undefined;
  const server = createServer(() => stopping.abort(reason));
  const url = await listen(server);
  const home = temporaryDirectory();
  const starterPath = join(home, 'made-up.sqlite');
  new Database(starterPath).exec('PRAGMA user_version = 1').close();
  const config = readConfig({
    QUANTSHELF_HOME: home,
    QUANTSHELF_HUB_URL: url,
    QUANTSHELF_ARXIV_OAI_URL: url,
    QUANTSHELF_POLYMARKET_URL: url,
  });
  const app = createLazyApp(config, { mode: 'one-shot', starterPath, log: () => {} });
  onTestFinished(async () => {
    await app.close();
    server.closeAllConnections();
    server.close();
  });
  const printed: string[] = [];
  const papers = { set: 'q-fin', since: undefined, limit: undefined, fullText: 0 };
  const markets = { venue: undefined, refresh: undefined };
  const options = { areas: [area], papers, markets, force: false, json: false };
  await runSync(app, config, options, {
    log: () => {},
    print: (line) => printed.push(line),
    stopSignal(given) {
      reason = given;
      if (!isRunning) stopping.abort(given);
      return stopping.signal;
    },
  });
  return printed.join('\n');
}

it.each([
  ['papers', 'The next sync continues from here.'],
  ['markets', 'Fetched data is kept; the next markets sync starts over.'],
] as const)('a sync of %s that is stopped prints "%s" only if it had begun', async (area, line) => {
  expect(await stopSync(area, false)).toBe(`${area}: Stopped.`);
  expect(await stopSync(area, true)).toMatch(new RegExp(`\\. Stopped\\. ${line}$`));
});
