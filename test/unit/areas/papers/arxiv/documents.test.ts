import { describe, expect, it } from 'vitest';
import { openHtml, openPdf } from '../../../../../src/areas/papers/arxiv/documents.ts';
import { InvalidResponseError } from '../../../../../src/upstream/errors.ts';
import type { Reply } from '../../../../../src/upstream/http.ts';
import { makeHtmlPage, makePdf } from '../../../../stand-ins/arxiv-pages.ts';

const reply = (body: string | Buffer, contentType = 'text/html'): Reply => ({
  status: 200,
  contentType,
  location: undefined,
  body: Buffer.from(body),
});

const PAGE = makeHtmlPage({ title: 'Größe', sections: [{ title: 'One', text: 'Words.' }] });

describe('web pages', () => {
  it('are read as UTF-8, whatever their type is called', () => {
    expect(openHtml(reply(PAGE))).toBe(PAGE);
    expect(openHtml(reply(PAGE, ''))).toBe(PAGE);
    expect(openHtml(reply(PAGE, 'application/xhtml+xml'))).toBe(PAGE);
    expect(openHtml(reply(`\ufeff${PAGE}`))).toBe(PAGE);
  });

  it('may lack what follows the article', () => {
    const cut = PAGE.slice(0, PAGE.indexOf('<footer'));
    expect(openHtml(reply(cut))).toBe(cut);
  });

  it.each([
    ['nothing', '', 'text/html'],
    ['plain words', 'Rate exceeded.', 'text/plain'],
    ['words that are called HTML', 'Rate exceeded.', 'text/html'],
    ['a PDF', makePdf(['x']), 'text/html'],
    ['HTML that is called something else', PAGE, 'application/json'],
    ['half of a page', PAGE.slice(0, PAGE.indexOf('</section>')), 'text/html'],
  ])('are not %s', (_, body, type) => {
    expect(() => openHtml(reply(body, type))).toThrow(InvalidResponseError);
  });
});

describe('PDF files', () => {
  it('begin with their mark, or nearly so', () => {
    const file = makePdf(['one line']);
    expect(Buffer.from(openPdf(reply(file, 'application/pdf')))).toEqual(file);
    const late = Buffer.concat([Buffer.alloc(1_000, 10), file]);
    expect(openPdf(reply(late))).toHaveLength(late.length);
  });

  it('own their memory', () => {
    const opened = openPdf(reply(makePdf(['one line'])));
    expect(opened.constructor).toBe(Uint8Array);
    expect(opened.buffer.byteLength).toBe(opened.byteLength);
  });

  it('are no web pages', () => {
    for (const body of [PAGE, '', Buffer.concat([Buffer.alloc(2_000), makePdf([])])]) {
      expect(() => openPdf(reply(body, 'application/pdf'))).toThrow(InvalidResponseError);
    }
  });
});
