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
      return read({ status: response.status, body: Buffer.from(await response.arrayBuffer()) });
    },
  };
  return { standIn, intervals, source: createArxivSource(client, standIn.bases) };
}

it('a request for a document names its version if given, except at ar5iv', async () => {
  const id = 'q-fin/0601001';
  const { standIn, source } = await startSource({ records: [makePaper({ id, version: 2 })] });
  const fetched = async (from: TextFormat, version: number | null) => {
    await source.fetchDocument(from, id, version, 'awaited');
    return standIn.requests.at(-1)?.path;
  };
  expect(await fetched('html', 2)).toBe('/html/q-fin/0601001v2');
  expect(await fetched('html', null)).toBe('/html/q-fin/0601001');
  expect(await fetched('ar5iv', 2)).toBe('/ar5iv/html/q-fin/0601001');
  expect(await fetched('pdf', 1)).toBe('/pdf/q-fin/0601001v1');
});

it('requests are spaced as arXiv asks, and documents fetched ahead of time more widely', async () => {
  const { source, intervals } = await startSource();
  await source.listRecords({ set: SET, from: '2026-01-01', format: 'arXiv' });
  await source.getRecord('2609.00001');
  await source.fetchDocument('html', '2609.00001', 1, 'ahead');
  await source.fetchDocument('pdf', '2609.00001', 1, 'awaited');
  expect(intervals).toEqual([3_100, 3_100, 15_000, 3_100]);
});

const blank = (length: number) => Buffer.alloc(length, 10);
const PAGE = makeHtmlPage({ title: 'Größe', sections: [{ title: 'One', text: 'Words.' }] });
const PDF = makePdf(['one line']);

it.each([
  ['is whole', PAGE],
  ['is truncated after its article', PAGE.slice(0, PAGE.indexOf('<footer'))],
])('a web page that %s is read as UTF-8', (_, page) => {
  expect(openHtml(Buffer.from(`\ufeff${page}`), 'arXiv')).toBe(page);
});

it.each([
  ['a web page', 'is empty', openHtml, Buffer.of()],
  ['a web page', 'is plain text', openHtml, Buffer.from('Rate exceeded.')],
  ['a web page', 'is a PDF', openHtml, PDF],
  [
    'a web page',
    'ends within the article',
    openHtml,
    Buffer.from(PAGE.split('</section>')[0] ?? ''),
  ],
  ['a PDF', 'is empty', openPdf, Buffer.of()],
  ['a PDF', 'is a web page', openPdf, Buffer.from(PAGE)],
  ['a PDF', 'has 2,000 bytes before its header', openPdf, Buffer.concat([blank(2_000), PDF])],
])('the response to a request for %s is rejected if it %s', (_, __, open, body) => {
  expect(() => open(body, 'arXiv')).toThrow(InvalidResponseError);
});

it('the error for an incomplete page names the host that sent it', async () => {
  const { source, standIn } = await startSource();
  standIn.fault(/^\/(?:ar5iv\/)?html\//, Array(2).fill({ kind: 'body', body: '<p>Words' }));
  const fetched = (from: TextFormat) => source.fetchDocument(from, '2609.00001', 1, 'awaited');
  await expect(fetched('html')).rejects.toThrow('arXiv sent an incomplete web page.');
  await expect(fetched('ar5iv')).rejects.toThrow('ar5iv sent an incomplete web page.');
});

it.each([0, 1_000])('a PDF with %i bytes before its header is read', (length) => {
  expect(openPdf(Buffer.concat([blank(length), PDF]))).toHaveLength(length + PDF.length);
});
