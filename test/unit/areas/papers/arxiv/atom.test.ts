import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseFeed } from '../../../../../src/areas/papers/arxiv/atom.ts';
import { InvalidResponseError } from '../../../../../src/upstream/errors.ts';
import { describeShared } from '../../../../shared.ts';
import { answerQuery, emptyFeed, errorFeed } from '../../../../stand-ins/arxiv-atom.ts';
import { makePaper } from '../../../../stand-ins/arxiv-papers.ts';

const NOW = new Date('2026-06-01T04:30:00Z');

describe('a feed', () => {
  const papers = [
    makePaper({
      version: 3,
      published: '2026-05-01',
      updated: '2026-05-20',
      categories: ['q-fin.TR', 'cs.LG', '91G80'],
      comment: '9 pages',
      journalRef: 'J. Made Up 1',
      doi: '10.1000/one 10.1000/two',
    }),
    makePaper({ id: '2609.00002', pdf: null }),
  ];
  const ask = (ids: string) => answerQuery(new URLSearchParams({ id_list: ids }), papers, NOW);
  const parse = (ids: string) => {
    const { body } = ask(ids);
    return parseFeed(Buffer.from(body));
  };

  it('lists versions with their primary category first', async () => {
    expect(await parse('2609.00001')).toEqual([
      {
        id: '2609.00001',
        version: 3,
        published: '2026-05-01',
        updated: '2026-05-20',
        title: 'Order books after a tick size change, study 1',
        authors: ['Ngozi Okafor', 'Åsa M. Lindqvist'],
        abstract: expect.stringMatching(/^We look at .* a day\.\n\nA second paragraph says/),
        categories: ['q-fin.TR', 'cs.LG'],
        comment: '9 pages',
        journalRef: 'J. Made Up 1',
        doi: '10.1000/one 10.1000/two',
      },
    ]);
  });

  it('has null for what arXiv does not give', async () => {
    expect(await parse('2609.00002')).toMatchObject([{ comment: null, doi: null }]);
  });

  it('omits unknown ids', async () => {
    expect(await parse('2609.00009')).toEqual([]);
    expect((await parse('2609.00009,2609.00002')).map(({ id }) => id)).toEqual(['2609.00002']);
  });

  it('is invalid if it is an error feed', async () => {
    const feed = Buffer.from(errorFeed('incorrect_id_format_for_abc', NOW));
    await expect(parseFeed(feed)).rejects.toThrow(InvalidResponseError);
  });

  it('is read without a broken entry, and invalid if it has no other', async () => {
    const damage = (entry: string) => entry.replace('<title>', '<title><b>');
    const broken = [makePaper({ damage }), makePaper({ id: '2609.00002' })];
    const answerOf = (ids: string) =>
      Buffer.from(answerQuery(new URLSearchParams({ id_list: ids }), broken, NOW).body);
    const versions = await parseFeed(answerOf('2609.00001,2609.00002'));
    expect(versions.map(({ id }) => id)).toEqual(['2609.00002']);
    await expect(parseFeed(answerOf('2609.00001'))).rejects.toThrow(InvalidResponseError);
  });

  it('is invalid if it announces papers and has none', async () => {
    const query = new URLSearchParams({ id_list: '2609.00001' });
    await expect(parseFeed(Buffer.from(emptyFeed(query, 1, NOW)))).rejects.toThrow(
      InvalidResponseError,
    );
    expect(await parseFeed(Buffer.from(emptyFeed(query, 0, NOW)))).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['plain words', 'Rate exceeded.'],
    ['a web page', '<html><body>Busy</body></html>'],
    ['OAI-PMH', '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"/>'],
    ['a truncated feed', ask('2609.00001').body.slice(0, 800)],
    ['a feed of other items', ask('2609.00001').body.replace(/\/abs\//g, '/other/')],
  ])('is invalid if it is %s', async (_, body) => {
    await expect(parseFeed(Buffer.from(body))).rejects.toThrow(InvalidResponseError);
  });
});

describeShared('recorded answers of 2026', 'data/papers/arxiv-api', (folder) => {
  const exchange = z.object({ url: z.string(), body: z.string() });
  const read = (file: string) =>
    exchange.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const files = readdirSync(folder);
  const find = (start: string) => files.find((file) => file.startsWith(start)) ?? start;
  const parse = (start: string) => {
    const { body } = read(find(start));
    return parseFeed(Buffer.from(body));
  };

  it('are parsed completely', async () => {
    for (const file of files.filter((each) => !each.startsWith('id_abc'))) {
      const entries = read(file).body.match(/<entry>/g)?.length ?? 0;
      const versions = await parse(file);
      expect(versions, file).toHaveLength(entries);
      for (const { authors, abstract, categories, published, updated } of versions) {
        expect(Math.min(authors.length, abstract.length, categories.length)).toBeGreaterThan(0);
        expect(published <= updated).toBe(true);
      }
    }
  });

  it('include an unknown id, alone and next to a known one', async () => {
    expect(await parse('id_0000.0000')).toEqual([]);
    expect((await parse('id_0808.05394_1707')).map(({ id }) => id)).toEqual(['1707.08567']);
  });

  it('include old ids', async () => {
    expect(await parse('id_astro-ph')).toMatchObject([
      {
        id: 'astro-ph/0601001',
        version: 1,
        categories: ['astro-ph'],
        journalRef: 'ActaAstron.56:1-50,2006',
      },
    ]);
    expect(await parse('id_quant-ph')).toMatchObject([{ id: 'quant-ph/0201082', version: 1 }]);
  });

  it('page through a list without gaps', async () => {
    const whole = (await parse('q_testing_s0_m100')).map(({ id }) => id);
    const starts = [0, 10, 20, 30, 40, 50];
    const pages = await Promise.all(starts.map((start) => parse(`q_testing_s${start}_m10_`)));
    expect(pages.flat().map(({ id }) => id)).toEqual(whole.slice(0, 60));
    expect((await parse('q_testing_s9_m15')).map(({ id }) => id)).toEqual(whole.slice(9, 24));
  });
});
