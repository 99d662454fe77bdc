import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../../../src/areas/papers/full-text/html/html.ts';
import { repairSource } from '../../../../../../src/areas/papers/full-text/html/latexml.ts';
import { FILLER } from './paper.ts';

const PROLOG = '<?xml version="1.0" encoding="utf-8"?>\n';
const DOCTYPE =
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN" "http://www.w3.org/Math/DTD/mathml2/xhtml-math11-f.dtd">\n';
const NAMESPACE = ' xmlns="http://www.w3.org/1999/xhtml"';

const body = (empty: (tag: string) => string) =>
  `<body><div class="ltx_document">${empty('div class="ltx_date ltx_role_creation"')}<p class="ltx_p">a${empty('a id="x"')}b <br class="ltx_break"/> c ${empty(`span title='&gt; "/'`)}d</p>${FILLER}</div></body>`;
const closed = (tag: string) => `<${tag}></${tag.split(' ')[0]}>`;
const selfClosed = (tag: string) => `<${tag} />`;
const head = '<head><title/><script src="x.js"/><meta charset="utf-8"/></head>';

describe('an XHTML page', () => {
  const expected = readHtml(`<html>${body(closed)}</html>`);

  it.each([
    ['its XML declaration', `${PROLOG}<html>`],
    ['its document type', `${DOCTYPE}<html>`],
    ['its namespace', `<html lang="en"${NAMESPACE}>`],
  ])('is recognised by %s', (_, start) => {
    expect(readHtml(`${start}${head}${body(selfClosed)}</html>`)).toEqual(expected);
  });

  it('has its text after an empty element', () => {
    expect(expected).toMatchObject({ ok: true, sections: [{ title: 'Body' }] });
    if (expected.ok) expect(expected.sections[0]?.content).toMatch(/^ab {2}\nc d\n\n/);
  });
});

describe('an HTML page', () => {
  it('keeps the HTML meaning of an empty element', () => {
    const html = '<!DOCTYPE html><html lang="en"><p class="ltx_document"/>';
    expect(repairSource(html)).toBe(html);
  });

  it('is unchanged without formulas', () => {
    const html = `<!-- <math> --><script>"<math>x</math>"</script><style>math{}</style><p>a</p>`;
    expect(repairSource(html)).toBe(html);
  });

  it('is scanned in linear time', () => {
    const hostile = [
      '<math ',
      '<math "',
      '<math>',
      '<!--',
      '<script>',
      '<annotation ',
      '<annotation>',
      '<a x="',
      '<a x="" ',
    ];
    for (const piece of hostile) {
      const html = PROLOG + piece.repeat(200_000);
      expect(repairSource(html)).toBe(html);
      expect(repairSource(`${html}<math>${piece.repeat(200_000)}</math>`)).toContain(html);
    }
  });
});
