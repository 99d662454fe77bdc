import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type StandIn, startArxiv } from '../stand-ins/arxiv.ts';
import { makePaper, makePapers } from '../stand-ins/arxiv-papers.ts';
import { type Env, makeHome, quantshelf, WITHOUT_MODEL } from './support.ts';
import { resultOf, Wire } from './wire.ts';

/** A paper of the starter shelf: its first read asks arXiv for its record. */
const STARTER = '2504.09380';
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

  it('keep no other call waiting while they are read', async () => {
    arxiv.records.push(makePaper({ id: STARTER, damage: deepTitle, html: null, pdf: null }));
    const wire = new Wire(makeHome(), env);
    await wire.initialize();
    // The first call of all opens the shelf, which takes time of its own.
    await wire.call('open', 'macro_indicator_search', {});
    wire.sendCall('read', 'paper_read', { paperCardId: `arxiv:${STARTER}`, sections: ['all'] });
    let reading = true;
    const answered = wire.answer('read').finally(() => {
      reading = false;
    });
    let longest = 0;
    for (let count = 0; reading; count += 1) {
      const begun = performance.now();
      await wire.ping(count);
      longest = Math.max(longest, performance.now() - begun);
    }
    const { structuredContent } = resultOf(await answered);
    await wire.finish();
    expect(arxiv.requests.some(({ path }) => path.includes('GetRecord'))).toBe(true);
    expect(structuredContent).toHaveProperty('data.sourcePaperId', `arxiv:${STARTER}`);
    process.stdout.write(`longest ping beside a record ${DEPTH} deep: ${longest.toFixed(0)} ms\n`);
    // 27 s where every tag costs a walk up the open ones; 200 ms and less on a quiet machine.
    expect(longest).toBeLessThan(2_000);
  });
});
