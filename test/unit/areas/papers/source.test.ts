import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ArxivSource,
  createArxivSource,
  openHtml,
  openPdf,
} from '../../../../src/areas/papers/source.ts';
import type { HttpClient } from '../../../../src/upstream/client.ts';
import { InvalidResponseError } from '../../../../src/upstream/failures.ts';
import { startArxiv } from '../../../stand-ins/arxiv.ts';
import { makeHtmlPage, makePdf } from '../../../stand-ins/arxiv-pages.ts';
import { makePaper, makePapers } from '../../../stand-ins/arxiv-papers.ts';

const SET = 'q-fin:q-fin';
const NOW = new Date('2026-06-10T04:30:00Z');

/** A source for a stand-in, closed after the test, and the pauses it requested. */
async function startSource({ records = makePapers(1) } = {}, paceMs?: number) {
  const standIn = await startArxiv({ records, now: () => NOW });
  onTestFinished(() => standIn.close());
  const intervals: number[] = [];
  const client: Pick<HttpClient, 'get'> = {
    async get(url, { intervalMs, read }) {
      intervals.push(intervalMs);
      const response = await fetch(url, { redirect: 'manual' });
      return read({
        status: response.status,
        body: Buffer.from(await response.arrayBuffer()),
      });
    },
  };
  return { standIn, intervals, source: createArxivSource(client, standIn.bases, paceMs) };
}

describe('pages and files', () => {
  it('pages and files are fetched in the requested version or the current one', async () => {
    const { standIn, source } = await startSource({
      records: [makePaper({ id: 'q-fin/0601001', version: 2 })],
    });
    const id = 'q-fin/0601001';
    expect(await source.fetchDocument('html', id, 2, 'reading')).toContain('ltx_document');
    expect(await source.fetchDocument('html', id, null, 'reading')).toContain('ltx_document');
    expect(await source.fetchDocument('ar5iv', id, null, 'reading')).toContain('ltx_document');
    expect(await source.fetchDocument('pdf', id, 1, 'reading')).toBeInstanceOf(Uint8Array);
    expect(standIn.requests.map(({ path }) => path)).toEqual([
      '/html/q-fin/0601001v2',
      '/html/q-fin/0601001',
      '/ar5iv/html/q-fin/0601001',
      '/pdf/q-fin/0601001v1',
    ]);
  });
});

it('requests keep the interval that arXiv asks for, or the given one', async () => {
  const call = async (source: ArxivSource) => {
    await source.listRecords({ set: SET, from: '2026-01-01', format: 'arXiv' });
    await source.getRecord('2609.00001');
    await source.fetchDocument('html', '2609.00001', 1, 'filling');
    await source.fetchDocument('pdf', '2609.00001', 1, 'reading');
  };
  const usual = await startSource();
  await call(usual.source);
  expect(usual.intervals).toEqual([3_100, 3_100, 15_000, 3_100]);
  const hurried = await startSource({}, 7);
  await call(hurried.source);
  expect(hurried.intervals).toEqual([7, 7, 7, 7]);
});

const reply = (body: string | Buffer): Buffer => Buffer.from(body);

const PAGE = makeHtmlPage({ title: 'Größe', sections: [{ title: 'One', text: 'Words.' }] });

describe('web pages', () => {
  it('web pages are read as UTF-8', () => {
    expect(openHtml(reply(PAGE))).toBe(PAGE);
    expect(openHtml(reply(`\ufeff${PAGE}`))).toBe(PAGE);
  });

  it('web pages may be truncated after the article', () => {
    const cut = PAGE.slice(0, PAGE.indexOf('<footer'));
    expect(openHtml(reply(cut))).toBe(cut);
  });

  it.each([
    ['nothing', ''],
    ['plain words', 'Rate exceeded.'],
    ['a PDF', makePdf(['x'])],
    ['half of a page', PAGE.slice(0, PAGE.indexOf('</section>'))],
  ])('a web page is rejected if it is %s', (_, body) => {
    expect(() => openHtml(reply(body))).toThrow(InvalidResponseError);
  });
});

describe('PDF files', () => {
  it('a PDF must start with its header, after a few bytes at most', () => {
    const file = makePdf(['one line']);
    expect(Buffer.from(openPdf(reply(file)))).toEqual(file);
    const late = Buffer.concat([Buffer.alloc(1_000, 10), file]);
    expect(openPdf(reply(late))).toHaveLength(late.length);
  });

  it('a PDF without its header is rejected', () => {
    for (const body of [PAGE, '', Buffer.concat([Buffer.alloc(2_000), makePdf([])])]) {
      expect(() => openPdf(reply(body))).toThrow(InvalidResponseError);
    }
  });
});
