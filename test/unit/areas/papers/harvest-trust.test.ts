import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHarvest, summarisePapers } from '../../../../src/areas/papers/queries.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import type { StandIn } from '../../../stand-ins/arxiv.ts';
import { makePapers } from '../../../stand-ins/arxiv-papers.ts';
import { type Harvesting, startHarvesting } from './harvesting.ts';
import { searchCards } from './shelf.ts';

let harvesting: Harvesting;
let db: Database;
let arxiv: StandIn;
let clock: Date;

const at = (day: string) => new Date(`${day}T12:00:00Z`);

beforeEach(() => {
  clock = at('2026-11-21');
});
afterEach(() => harvesting.close());

async function start(count: number, pageSize: number) {
  const records = makePapers(count);
  const options = { records, pageSize, now: () => clock };
  harvesting = await startHarvesting(() => clock, options);
  ({ db, arxiv } = harvesting);
  return harvesting.run;
}

async function asOf(): Promise<string> {
  return (await searchCards(db, { query: 'order books' })).meta.asOf ?? '';
}

describe('asOf after a harvest', () => {
  it('asOf does not advance after a harvest that left a gap', async () => {
    const run = await start(5, 10);
    clock = at('2026-06-10');
    await run();
    clock = at('2026-11-21');
    await run({ since: '2026-11-20' });
    expect(await asOf()).toBe(at('2026-06-10').toISOString());
    await run();
    expect(await asOf()).toBe(clock.toISOString());
  });

  it('asOf does not advance for a paper of another field, which no harvest returns', async () => {
    const run = await start(5, 10);
    clock = at('2026-06-10');
    await run();
    db.exec(`UPDATE paper SET categories = '["cs.LG"]'`);
    arxiv.records.length = 0;
    clock = at('2026-11-21');
    await run();
    expect(await asOf()).toBe(at('2026-06-10').toISOString());
  });

  it('asOf does not advance for papers from before the first harvested day', async () => {
    const run = await start(5, 10);
    clock = at('2026-06-10');
    await run();
    // As if those papers had been read one by one, without a harvest.
    db.exec('DELETE FROM harvest');
    clock = at('2026-11-21');
    await run({ since: '2026-11-20' });
    expect(await asOf()).toBe(at('2026-06-10').toISOString());
  });
});

describe('a damaged record', () => {
  const unclosed = (xml: string) => xml.replace('<title>', '<title><b>');

  it('a harvest reports damaged records and completes', async () => {
    const run = await start(45, 10);
    for (const id of ['2609.00008', '2609.00044']) arxiv.change(id, { damage: unclosed });
    const log: string[] = [];
    const summary = await run({ log: (line) => void log.push(line) });
    expect(summary).toMatchObject({ added: 43, skipped: 2, finished: true });
    expect(log).toEqual(
      ['2609.00008', '2609.00044'].map(
        (id) => `Skipped 1 record that arXiv sent damaged: ${id} (malformed XML).`,
      ),
    );
    expect(summarisePapers(db).count).toBe(43);
    expect(findHarvest(db, 'q-fin')?.nextFrom).toBe('2026-11-21');
  });

  it('a damaged record may be the only change without stopping later harvests', async () => {
    const run = await start(1, 10);
    arxiv.change('2609.00001', { damage: unclosed });
    await expect(run()).resolves.toMatchObject({ added: 0, skipped: 1, finished: true });
    expect(arxiv.requests).toHaveLength(1);
    arxiv.change('2609.00001', { damage: (xml) => xml, datestamp: '2026-11-22' });
    clock = at('2026-11-22');
    await expect(run()).resolves.toMatchObject({ added: 1, skipped: 0, finished: true });
  });
});

/** A page that is not the last, with one paper. */
const onePaper = (number: number, token: number) => ({
  kind: 'body' as const,
  type: 'text/xml',
  body: `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-21</responseDate>
    <ListRecords><record><header><identifier>oai:arXiv.org:2609.0000${number}</identifier>
    <datestamp>2026-05-01</datestamp></header><metadata><arXiv><title>A</title></arXiv></metadata>
    </record><resumptionToken>${token}</resumptionToken></ListRecords></OAI-PMH>`,
});

it('a harvest rejects a list that repeats its papers under new tokens', async () => {
  const run = await start(45, 10);
  arxiv.fault('ListRecords', [1, 2, 1, 3, 4].map(onePaper));
  await expect(run()).rejects.toThrow('loops back');
  expect(arxiv.requests).toHaveLength(3);
});

it('a harvest lets others read and write in the middle of a page', async () => {
  const run = await start(100, 100);
  const other = openForWriting(db.name);
  const seen = new Set<number>();
  let done = false;
  const look = () => {
    if (done) return;
    seen.add(summarisePapers(other).count);
    other.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES ('charge', 'x')").run();
    setImmediate(look);
  };
  look();
  await run();
  done = true;
  other.close();
  expect([...seen].filter((count) => count > 0 && count < 100).length).toBeGreaterThan(0);
  expect(summarisePapers(db).count).toBe(100);
});
