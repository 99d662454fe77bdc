import { expect, it, onTestFinished } from 'vitest';
import {
  createArxivSource,
  openHtml,
  openPdf,
  type TextFormat,
} from '../../../../src/areas/papers/source.ts';
import type { HttpClient } from '../../../../src/upstream/client.ts';
import { InvalidResponseError } from '../../../../src/upstream/failures.ts';
import { startArxiv } from '../../../stand-ins/arxiv.ts';
import { makeHtmlPage, makePdf } from '../../../stand-ins/arxiv-pages.ts';
import { makePaper, makePapers } from '../../../stand-ins/arxiv-papers.ts';

const SET = 'q-fin:q-fin';
const NOW = new Date('2026-06-10T04:30:00Z');

/** A source for a stand-in, closed after the test, and the pauses it requested. */
async function startSource({ records = makePapers(1) } = {}) {
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
  return { standIn, intervals, source: createArxivSource(client, standIn.bases) };
}

it('pages and files are fetched in the requested version or the current one', async () => {
  const id = 'q-fin/0601001';
  const { standIn, source } = await startSource({ records: [makePaper({ id, version: 2 })] });
  const fetched = async (from: TextFormat, version: number | null) => {
    await source.fetchDocument(from, id, version, 'reading');
    return standIn.requests.at(-1)?.path;
  };
  expect(await fetched('html', 2)).toBe('/html/q-fin/0601001v2');
  expect(await fetched('html', null)).toBe('/html/q-fin/0601001');
  expect(await fetched('ar5iv', 2)).toBe('/ar5iv/html/q-fin/0601001');
  expect(await fetched('pdf', 1)).toBe('/pdf/q-fin/0601001v1');
});

it('requests keep the intervals that arXiv asks for', async () => {
  const { source, intervals } = await startSource();
  await source.listRecords({ set: SET, from: '2026-01-01', format: 'arXiv' });
  await source.getRecord('2609.00001');
  await source.fetchDocument('html', '2609.00001', 1, 'filling');
  await source.fetchDocument('pdf', '2609.00001', 1, 'reading');
  expect(intervals).toEqual([3_100, 3_100, 15_000, 3_100]);
});

const blank = (length: number) => Buffer.alloc(length, 10);
const PAGE = makeHtmlPage({ title: 'Größe', sections: [{ title: 'One', text: 'Words.' }] });
const PDF = makePdf(['one line']);

it.each([
  ['whole', PAGE],
  ['truncated after the article', PAGE.slice(0, PAGE.indexOf('<footer'))],
])('a web page is read as UTF-8: %s', (_, page) => {
  expect(openHtml(Buffer.from(`\ufeff${page}`))).toBe(page);
});

it.each([
  ['a web page', 'nothing', openHtml, Buffer.of()],
  ['a web page', 'plain words', openHtml, Buffer.from('Rate exceeded.')],
  ['a web page', 'a PDF', openHtml, PDF],
  [
    'a web page',
    'half of a page',
    openHtml,
    Buffer.from(PAGE.slice(0, PAGE.indexOf('</section>'))),
  ],
  ['a PDF', 'nothing', openPdf, Buffer.of()],
  ['a PDF', 'a web page', openPdf, Buffer.from(PAGE)],
  ['a PDF', 'a header after 2,000 bytes', openPdf, Buffer.concat([blank(2_000), PDF])],
])('%s is rejected if it is %s', (_, __, open, body) => {
  expect(() => open(body)).toThrow(InvalidResponseError);
});

it.each([0, 1_000])('a PDF is read even if %i bytes precede its header', (length) => {
  expect(openPdf(Buffer.concat([blank(length), PDF]))).toHaveLength(length + PDF.length);
});
