import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { createLazyApp } from '../src/app/lazy-app.ts';
import { macroIndicatorHistory } from '../src/areas/macro/operations.ts';
import { paperSearch } from '../src/areas/papers/operations.ts';
import { runSync } from '../src/cli/sync.ts';
import { readConfig } from '../src/config.ts';
import type { Operation } from '../src/core/operation.ts';
import { run } from '../src/core/run.ts';
import { startArxiv } from '../test/stand-ins/arxiv.ts';
import { makePapers } from '../test/stand-ins/arxiv-papers.ts';
import { makeSeries, startFred } from '../test/stand-ins/fred.ts';
import { FredHistory } from '../test/stand-ins/fred-history.ts';

/** `npm run files-run`: counts the files of src in which a function runs during one warm call, or one sync. */
const src = new URL('../src/', import.meta.url).href;
const home = mkdtempSync(`${tmpdir()}/quantshelf-files-run-`);
const arxiv = await startArxiv({ records: makePapers(25) });
const history = new FredHistory().publish('2026-06-05', { '2026-05-01': 4.1 });
const fred = await startFred(['UNRATE', 'CPIAUCSL'].map((id) => makeSeries({ id, history })));
/** The addresses of these upstreams lead to a stand-in, so that nothing beyond this machine is contacted. */
const away = ['HUB', 'NPM', 'BLS', 'TREASURY', 'NYFED', 'POLYMARKET'];
const urls = Object.fromEntries(away.map((name) => [`QUANTSHELF_${name}_URL`, fred.url]));
const env = { QUANTSHELF_HOME: home, QUANTSHELF_PACE_MS: '1', QUANTSHELF_OFFLINE: '0' };
const config = readConfig({ ...process.env, ...urls, ...arxiv.env, ...fred.env, ...env });
const log = () => {};
const app = createLazyApp(config, { mode: 'one-shot', starterPath: 'dist/starter.sqlite', log });
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
async function call(operation: Operation, input: object): Promise<void> {
  const { ok, envelope } = await run(operation, input, { open: app.open, log });
  if (!ok) throw new Error(JSON.stringify(envelope));
}
async function count(what: string, work: () => Promise<unknown>): Promise<void> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = result.filter(({ url }) => url.startsWith(src));
  const files = own.filter(({ functions }) =>
    functions.some(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0),
  );
  process.stdout.write(`${what.padEnd(16)} ${files.length}\n`);
}
const read = (series_id: string) => () => call(macroIndicatorHistory, { series_id });
const search = () => call(paperSearch, { query: 'optimal execution' });
const papers = { since: '2026-01-01', limit: undefined, set: 'q-fin', fullText: 0 };
const markets = { venue: undefined, refresh: undefined };
const terminal = { log, print: log, stopSignal: () => new AbortController().signal };
await search();
await count('paper_search', search);
await read('CPIAUCSL')();
await count('due history', read('UNRATE'));
await count('fresh history', read('UNRATE'));
await count('sync papers', () =>
  runSync(app, config, { areas: ['papers'], papers, markets, force: false, json: true }, terminal),
);
await Promise.all([app.close(), arxiv.close(), fred.close()]);
rmSync(home, { recursive: true, force: true });
