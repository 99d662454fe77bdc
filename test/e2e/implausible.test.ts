import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { bundledFigures, startAgencies } from '../stand-ins/agencies.ts';
import { type StandIn, startArxiv } from '../stand-ins/arxiv.ts';
import { makePaper, makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeShelf, runHere } from './in-process.ts';
import { edit, inspect } from './store.ts';
import { type Env, online, storeIn } from './support.ts';

let home: string;
beforeEach(async () => {
  home = await makeShelf();
});

it('sync macro holds back a 10-year yield of 9,999,999 %, says so, and accepts it if a second reply repeats it', async () => {
  const agencies = await startAgencies(bundledFigures());
  onTestFinished(() => agencies.close());
  const env = { ...online([agencies], 1), FRED_API_KEY: '' };
  const sync = () => runHere(['sync', 'macro', '--force'], home, env);
  const stored = (id: string) =>
    query<number>(
      `SELECT value FROM macro_vintage WHERE series_id = '${id}' AND date = '2026-11-20' AND rt_end IS NULL`,
    );
  const yields = { DGS10: 9_999_999, DGS2: 3.5, DGS5: 3.6, DGS30: 4.6, DGS3MO: 3.7, DFII10: 1.9 };
  for (const [id, value] of Object.entries(yields)) agencies.publish(id, { '2026-11-20': value });
  agencies.publish('DFII5', { '2026-11-20': 1.5 });
  expect((await sync()).code).toBe(1);
  expect([stored('DGS10'), stored('DGS2')]).toEqual([[], [3.5]]);
  const { stdout } = await runHere(
    ['call', 'macro_indicator_history', JSON.stringify({ series_id: 'DGS10', limit: 1 })],
    home,
    { ...env, QUANTSHELF_OFFLINE: '1' },
  );
  const { data, meta } = JSON.parse(stdout);
  expect(data.stale).toBe(true);
  expect(data.observations[0].value).toBeLessThan(20);
  expect(meta.notice).toContain('held back until a later reply confirms it');
  // A different value confirms nothing.
  agencies.publish('DGS10', { '2026-11-20': 8_888_888 });
  await sync();
  expect(stored('DGS10')).toEqual([]);
  expect((await sync()).code).toBe(0);
  expect(stored('DGS10')).toEqual([8_888_888]);
});

describe('sync papers', () => {
  let arxiv: StandIn;
  let env: Env;
  let clock: Date;

  beforeEach(async () => {
    clock = new Date();
    arxiv = await startArxiv({ records: makePapers(3), now: () => clock });
    env = online([arxiv], 1);
  });
  afterEach(() => arxiv.close());

  const sync = () => runHere(['sync', 'papers'], home, env);
  const answer = (page: string) => {
    const body = `<OAI-PMH><responseDate>${clock.toISOString()}</responseDate><ListRecords>${page}</ListRecords></OAI-PMH>`;
    arxiv.fault('/oai', [{ kind: 'body', body, type: 'text/xml' }]);
  };
  const onShelf = () => query('SELECT source_id FROM paper WHERE withdrawn = 0');
  const headerOf = (id: string, day: string) =>
    `<identifier>oai:arXiv.org:${id.replace('arxiv:', '')}</identifier><datestamp>${day}</datestamp>`;

  it('refuses a list in which every paper is deleted, and keeps the shelf', async () => {
    const before = onShelf();
    const day = clock.toISOString().slice(0, 10);
    const headers = before.map(
      (id) => `<record><header status="deleted">${headerOf(id, day)}</header></record>`,
    );
    answer(headers.join(''));
    const { code, stdout } = await sync();
    expect(code).toBe(1);
    expect(stdout).toContain('arXiv reports an implausible number of papers as withdrawn');
    expect(onShelf()).toEqual(before);
  });

  it('ignores the years 1 and 9999 in a record', async () => {
    answer(
      `<record><header>${headerOf('2601.00001', '9999-12-31')}</header><metadata><arXiv><created>0001-01-01</created><updated>9999-01-01</updated><title>A title</title><abstract>An abstract.</abstract></arXiv></metadata></record>`,
    );
    await sync();
    const days = query(
      "SELECT json_array(published, updated, datestamp) FROM paper WHERE source_id = 'arxiv:2601.00001'",
    );
    expect(days).toEqual([JSON.stringify(['2026-01', null, clock.toISOString().slice(0, 10)])]);
  });

  it('harvests again if the next harvest was to begin years from now', async () => {
    await sync();
    const today = new Date().toISOString().slice(0, 10);
    edit(storeIn(home), "UPDATE harvest SET next_from = '2029-01-01'");
    const paper = makePaper({ id: '2609.00009', datestamp: today });
    arxiv.records.push(paper);
    await sync();
    expect(query('SELECT max(next_from) FROM harvest')).toEqual([today]);
    expect(query('SELECT source_id FROM paper')).toContain(`arxiv:${paper.id}`);
  });

  it('asks only once, across processes, if arXiv answers "Rate exceeded." with status 200', async () => {
    const refusal = { kind: 'body', body: 'Rate exceeded.', type: 'text/plain' } as const;
    arxiv.fault('/oai', Array(30).fill(refusal));
    const oai = () => arxiv.requests.filter(({ path }) => path.startsWith('/oai')).length;
    expect(await sync()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('arXiv asks to wait'),
    });
    expect(oai()).toBe(1);
    expect((await sync()).stdout).toMatch(/asked us to wait another 1\d min/);
    expect(oai()).toBe(1);
  });
});

function query<T = string>(sql: string): T[] {
  return inspect(home, (db) => db.prepare<[], T>(sql).pluck().all());
}
