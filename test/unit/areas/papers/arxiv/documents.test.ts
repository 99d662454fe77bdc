import { describe, expect, it } from 'vitest';
import { openHtml, openPdf } from '../../../../../src/areas/papers/source.ts';
import { InvalidResponseError } from '../../../../../src/upstream/failures.ts';
import { makeHtmlPage, makePdf } from '../../../../stand-ins/arxiv-pages.ts';

const reply = (body: string | Buffer): Buffer => Buffer.from(body);

const PAGE = makeHtmlPage({ title: 'Größe', sections: [{ title: 'One', text: 'Words.' }] });

describe('web pages', () => {
  it('are read as UTF-8', () => {
    expect(openHtml(reply(PAGE))).toBe(PAGE);
    expect(openHtml(reply(`\ufeff${PAGE}`))).toBe(PAGE);
  });

  it('may be truncated after the article', () => {
    const cut = PAGE.slice(0, PAGE.indexOf('<footer'));
    expect(openHtml(reply(cut))).toBe(cut);
  });

  it.each([
    ['nothing', ''],
    ['plain words', 'Rate exceeded.'],
    ['a PDF', makePdf(['x'])],
    ['half of a page', PAGE.slice(0, PAGE.indexOf('</section>'))],
  ])('are not accepted: %s', (_, body) => {
    expect(() => openHtml(reply(body))).toThrow(InvalidResponseError);
  });
});

describe('PDF files', () => {
  it('start with their header, after some bytes at most', () => {
    const file = makePdf(['one line']);
    expect(Buffer.from(openPdf(reply(file)))).toEqual(file);
    const late = Buffer.concat([Buffer.alloc(1_000, 10), file]);
    expect(openPdf(reply(late))).toHaveLength(late.length);
  });

  it('are not web pages', () => {
    for (const body of [PAGE, '', Buffer.concat([Buffer.alloc(2_000), makePdf([])])]) {
      expect(() => openPdf(reply(body))).toThrow(InvalidResponseError);
    }
  });
});
