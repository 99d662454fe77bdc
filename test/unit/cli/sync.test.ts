import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLazyApp } from '../../../src/app/lazy-app.ts';
import { runSync } from '../../../src/cli/sync.ts';
import { readConfig } from '../../../src/config.ts';
import type { Area } from '../../../src/core/area.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { listen, sourcesAt } from '../../stand-ins/upstream.ts';
import { copyStarter } from '../../starter.ts';
import { temporaryDirectory } from '../../temporary.ts';

/** The output of a sync that is stopped by a request, given by its number, or by 0 before it begins. */
async function stopSync(area: Area, stopAt: number): Promise<string> {
  const stopping = new AbortController();
  let reason: Error | undefined;
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    if (requests === stopAt) stopping.abort(reason);
    else response.writeHead(400).end('{"error_message": "The series does not exist."}');
  });
  const url = await listen(server);
  const home = temporaryDirectory();
  const starterPath = join(home, 'made-up.sqlite');
  if (area === 'macro') await copyStarter(starterPath);
  else new Database(starterPath).exec('PRAGMA user_version = 1').close();
  const config = readConfig({
    ...sourcesAt(url),
    QUANTSHELF_HUB_URL: url,
    QUANTSHELF_HOME: home,
    QUANTSHELF_PACE_MS: '1',
    FRED_API_KEY: 'k'.repeat(32),
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
      if (stopAt === 0) stopping.abort(given);
      return stopping.signal;
    },
  });
  return printed.join('\n');
}

it.each([
  ['papers', 'The next sync continues from here.', 1],
  ['macro', 'The next sync continues from here.', 2],
  ['markets', 'Fetched data is kept; the next markets sync starts over.', 1],
] as const)(
  'a sync of %s prints "%s" if request %i stops it, but not if stopped earlier',
  async (...row) => {
    const [area, line, stopAt] = row;
    expect(await stopSync(area, stopAt - 1)).toMatch(/ Stopped\.$/m);
    expect(await stopSync(area, stopAt)).toMatch(new RegExp(`\\. Stopped\\. ${line}$`, 'm'));
  },
);
