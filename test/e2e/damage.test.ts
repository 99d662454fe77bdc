import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type StandIn, startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { type Env, makeHome, quantshelf, WITHOUT_MODEL } from './support.ts';

const DEPTH = 40_000;

let arxiv: StandIn;
let env: Env;

beforeEach(async () => {
  arxiv = await startArxiv({ records: makePapers(25), pageSize: 10, gzip: true });
  env = {
    ...arxiv.env,
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_PACE_MS: '5',
    ...WITHOUT_MODEL,
  };
});
afterEach(() => arxiv.close());

const deepTitle = (xml: string) =>
  xml.replace('<title>', () => `<title>${'<i>'.repeat(DEPTH)}${'</i>'.repeat(DEPTH)}`);

describe('records that arXiv sends damaged', () => {
  it('are named and counted by sync, which takes in all others', async () => {
    arxiv.change('2609.00003', { damage: deepTitle });
    arxiv.change('2609.00010', { damage: (xml) => xml.replace('</identifier>', '') });
    arxiv.change('2609.00011', { damage: (xml) => xml.replace('<title>', '<title>S&P&nbsp;') });
    const home = makeHome();
    const args = ['sync', 'papers', '--since', '2026-01-01'];
    const json = await quantshelf([...args, '--json'], home, env);
    const { papers } = z
      .object({ papers: z.looseObject({ skipped: z.number() }) })
      .parse(JSON.parse(json.stdout));
    // However deep, XML that is whole is read.
    expect(papers).toMatchObject({ added: 23, finished: true });
    expect(json.stderr).not.toContain('2609.00003');
    expect(json.stderr).toContain('2609.00010 (malformed XML)');
    expect(json.stderr).toContain('2609.00011 (malformed XML)');
    expect(papers.skipped).toBe(2);
    const people = await quantshelf(args, home, env);
    expect(people.stdout).toMatch(/, 2 skipped as damaged/);
  });
});
