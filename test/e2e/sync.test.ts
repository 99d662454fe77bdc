import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withProcessLock } from '../../src/store/lock.ts';
import { type StandIn, startArxiv } from '../stand-ins/arxiv.ts';
import { LONG_PAGE } from '../stand-ins/arxiv-pages.ts';
import { makePaper, makePapers, withdrawalOf } from '../stand-ins/arxiv-papers.ts';
import { callHere, makeShelf, runHere, statusHere } from './in-process.ts';
import { edit, inspect, syncedPapers } from './store.ts';
import {
  type Env,
  type Finished,
  modelDir,
  online,
  quantshelf,
  startCommand,
  storeIn,
} from './support.ts';

/** The stand-in's papers, and papers per page. Embedding them takes most of the time. */
const [STORED, PAGE] = [14, 3];

let arxiv: StandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  arxiv = await startArxiv({
    records: makePapers(STORED),
    pageSize: PAGE,
    joinRepeats: 1,
    gzip: true,
  });
  home = await makeShelf();
  env = { ...online([arxiv], 20), QUANTSHELF_CONTACT: 'ada@example.org' };
});
afterEach(() => arxiv.close());

/** Makes the model available. Loading it takes longer than syncing a few papers. */
function useModel(): void {
  if (modelDir !== null) env = { ...env, QUANTSHELF_MODEL_DIR: modelDir };
}

const sync = (...args: string[]) => runHere(['sync', 'papers', ...args], home, env);
const oaiPaths = () => arxiv.requests.map(({ path }) => path).filter((p) => p.startsWith('/oai'));

/** Without a model, vectors are missing, which counts as a partial failure. */
const lexical = { code: 1, finished: true };
const done = modelDir === null ? { code: 1 } : { code: 0, error: null };

async function report(...args: string[]) {
  return reportOf(await sync(...args, '--json'));
}

function reportOf({ stdout, code, stderr }: Finished) {
  return { code, stderr, ...JSON.parse(stdout).papers };
}

const today = () => new Date().toISOString().slice(0, 10);
const all = makePapers(STORED).map(({ id }) => `arxiv:${id}`);

describe('quantshelf sync papers', () => {
  it('fills the shelf, then updates it, despite refused, cut and malformed responses', async () => {
    useModel();
    arxiv.fault('/oai', [
      { kind: 'status', status: 503, retryAfter: 1 },
      { kind: 'none' },
      { kind: 'status', status: 429 },
      { kind: 'cut' },
      { kind: 'html' },
      { kind: 'none' },
      { kind: 'truncated' },
      { kind: 'status', status: 406 },
      { kind: 'reset' },
      { kind: 'empty-page' },
      { kind: 'none' },
      { kind: 'bad-token' },
    ]);
    const syncAlone = async (...args: string[]) =>
      reportOf(await quantshelf(['sync', 'papers', '--json', ...args], home, env));
    const first = await syncAlone('--since', '2026-01-01');
    expect(first, first.stderr).toMatchObject({ ...done, added: STORED, finished: true });
    expect(arxiv.faultsLeft).toBe(0);
    expect(syncedPapers(home)).toEqual(all);
    if (modelDir !== null) expect(first.embedded).toBe(STORED);

    arxiv.change('2609.00001', {
      datestamp: today(),
      abstract: 'A wholly new abstract on catastrophe bonds and their spreads.',
    });
    const [, second] = arxiv.records;
    if (second === undefined) throw new Error('no records');
    arxiv.change(second.id, withdrawalOf(second, today()));
    arxiv.fault('/oai', [{ kind: 'status', status: 503 }, { kind: 'cut' }]);
    const again = await syncAlone();
    expect(again).toMatchObject({ ...done, added: 0, changed: 1, withdrawn: 1, finished: true });
    if (modelDir !== null) expect(again.embedded).toBe(1);

    expect(arxiv.maxInFlight).toBe(1);
    for (const { headers } of arxiv.requests) {
      expect(headers['user-agent']).toMatch(/^quantshelf\/\d.*mailto:ada@example\.org/);
    }
    const query = 'catastrophe bond spreads';
    const found = await callHere('paper_search', { query, topK: 1 }, home, env);
    expect(found.data).toMatchObject([{ sourcePaperId: 'arxiv:2609.00001' }]);
  });

  it('stops on Ctrl-C with a message, and loses nothing', async () => {
    arxiv.records.splice(2 * PAGE);
    arxiv.fault('/oai', [{ kind: 'none' }, { kind: 'hang' }]);
    const { child, ended } = startCommand(['sync', 'papers'], home, env);
    await expect.poll(() => oaiPaths().length).toBeGreaterThanOrEqual(2);
    child.kill('SIGINT');
    const { code, stdout: said, stderr } = await ended;
    expect(code).toBe(1);
    expect((said + stderr).match(/continues from here/g)).toHaveLength(1);
    expect(syncedPapers(home)).toHaveLength(PAGE);
    expect((await statusHere(home)).papers).toMatchObject({ lastError: null, lastSync: null });
    await expect(report()).resolves.toMatchObject(lexical);
    expect(syncedPapers(home)).toEqual(all.slice(0, 2 * PAGE));
  });

  it('is left out of a sync of all areas while another process runs it', async () => {
    const away = { QUANTSHELF_POLYMARKET_URL: 'http://127.0.0.1:9', FRED_API_KEY: '' };
    const { stdout, code } = await withProcessLock(join(home, 'sync-papers.lock'), () =>
      quantshelf(['sync', '--json'], home, { ...env, ...away }),
    );
    expect(code).toBe(1);
    const said = JSON.parse(stdout);
    expect(said.papers).toMatchObject({
      error: expect.stringMatching(/^Another sync of papers is running/),
    });
    expect(said.macro.skipped).toContain('FRED_API_KEY');
    expect(said.markets.error).toContain('127.0.0.1:9');
    expect(arxiv.requests).toEqual([]);
  });

  it('pauses for an hour if arXiv asks for a day, unless forced, and status shows the pause', async () => {
    arxiv.records.splice(PAGE);
    arxiv.fault('/oai', [{ kind: 'status', status: 503, retryAfter: 86_400 }]);
    const refused = await sync();
    expect(refused.code).toBe(1);
    const { pauses } = await statusHere(home);
    expect(pauses).toMatchObject([{ upstream: 'arxiv' }]);
    const left = Date.parse(pauses[0].until) - Date.now();
    expect(left).toBeGreaterThan(3_000_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    const status = await runHere(['status'], home, env);
    expect(status.stdout).toMatch(/^pause +arxiv gets no requests until .* UTC; .*sync --force/m);
    await expect(report('--force')).resolves.toMatchObject({ ...lexical, added: PAGE });
    expect(await statusHere(home)).toMatchObject({ pauses: [] });
  });

  it('keeps the stored papers and exits with 1 if arXiv keeps failing, and status says why', async () => {
    arxiv.records.splice(PAGE);
    arxiv.fault('/oai', Array(12).fill({ kind: 'status', status: 500 }));
    const failed = await sync();
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(
      /^papers: nothing was synced\. The shelf contains 129 papers\..*status 500\.$/m,
    );
    expect(failed.stderr).not.toMatch(/status 500\.$/m);
    expect((await statusHere(home)).papers).toMatchObject({
      lastSync: null,
      lastError: expect.stringContaining('answered with status 500'),
    });
    useModel();
    await expect(report()).resolves.toMatchObject({ ...done, added: PAGE });
    if (modelDir === null) return;
    expect((await statusHere(home)).papers.lastError).toBeNull();
  });

  it('reports damaged records, the number of full texts it fetched, and why others are missing', async () => {
    for (const { id } of arxiv.records)
      arxiv.change(id, { html: LONG_PAGE, updated: '2026-10-01' });
    arxiv.change('2609.00010', { damage: (xml) => xml.replace('</identifier>', '') });
    arxiv.fault(/^\/(html|pdf|ar5iv)/, Array(4).fill({ kind: 'status', status: 429 }));
    const { stdout, stderr } = await sync('--full-text', '2', '--since', '2026-01-01');
    expect(stderr).toContain('2609.00010 (malformed XML)');
    expect(stdout).toContain(', 1 skipped as damaged');
    // The program sends arXiv no request after this refusal.
    expect(stdout).toMatch(
      /No full text for: 1 paper \(arXiv asked us to slow down\), 1 paper \(arXiv does not know this paper\)\./,
    );
    expect((await report('--full-text', '3', '--force')).texts).toBeGreaterThan(0);
    expect(syncedPapers(home)).toHaveLength(STORED - 1);
  });

  it('ignores the years 1 and 9999 in an arXiv record', async () => {
    const years = { datestamp: '9999-12-31', created: '0001-01-01', updated: '9999-01-01' };
    arxiv.records.splice(0, STORED, makePaper(years));
    // arXiv's list of versions would give the true days.
    arxiv.fault('arXivRaw', Array(12).fill({ kind: 'status', status: 500 }));
    await sync();
    const days = 'SELECT published, updated, datestamp FROM paper';
    const stored = inspect(home, (db) => db.prepare(`${days} WHERE source_id = ?`).get(all[0]));
    expect(stored).toEqual({ published: '2026-09', updated: null, datestamp: today() });
  });

  it("harvests today's changes even if the stored start of the next harvest lies years ahead", async () => {
    arxiv.records.splice(PAGE);
    await sync();
    edit(storeIn(home), "UPDATE harvest SET next_from = '2029-01-01'");
    arxiv.records.push(makePaper({ datestamp: today() }, PAGE));
    await sync();
    expect(syncedPapers(home)).toEqual(all.slice(0, PAGE + 1));
  });

  it('requests nothing for a quarter of an hour after arXiv has answered "Rate exceeded." with status 200', async () => {
    const refusal = { kind: 'body', body: 'Rate exceeded.', type: 'text/plain' } as const;
    arxiv.fault('/oai', Array(30).fill(refusal));
    expect((await sync()).stdout).toContain('arXiv asked us to wait');
    expect((await sync()).stdout).toMatch(/asked us to wait another 1\d min/);
    expect(oaiPaths()).toHaveLength(1);
  });
});
