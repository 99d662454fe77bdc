import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../../../src/areas/papers/full-text/html/html.ts';
import { FILLER, formula, page, paragraph, section, tabular } from './paper.ts';

const failed = { ok: false, reason: 'failed conversion' };
const error = (command: string) => `<span class="ltx_ERROR undefined">${command}</span>`;

it.each([
  ['nothing', ''],
  ['an error page', '<html><body><h1>No HTML for 2501.00001</h1></body></html>'],
  ['a word about pages', '<p>Look for class ltx_document.</p>'],
  ['an alert with its class', `<div class="package-alerts ltx_document">x</div>${FILLER}`],
])('a page without a paper is recognised: %s', (_, html) => {
  expect(readHtml(html)).toEqual({ ok: false, reason: 'not a paper' });
});

describe('a failed conversion', () => {
  it('a failed conversion is recognised by its notice', () => {
    expect(readHtml(page(FILLER).replace('</body>', NOTICE))).toEqual(failed);
  });

  it('a failed conversion is recognised by many different unknown commands, not by one repeated often', () => {
    const words = paragraph('word '.repeat(1000));
    const commands = (count: number) =>
      Array.from({ length: count }, (_, at) => error(`\\foo${String.fromCharCode(97 + at)}`));
    expect(readHtml(page(words + commands(11).join('')))).toEqual(failed);
    expect(readHtml(page(words + commands(10).join('')))).toMatchObject({ ok: true });
    expect(readHtml(page(words + error('\\foo').repeat(500)))).toMatchObject({ ok: true });
  });

  it('a failed conversion has text that a stray tag moved outside the paper', () => {
    const para = `<div class="ltx_para">${paragraph('A.')}</div>`;
    expect(readHtml(page(`${FILLER}</div></div>${para}`))).toEqual(failed);
    expect(readHtml(page(FILLER + para))).toMatchObject({ ok: true });
  });

  it('a failed conversion has too little text', () => {
    const tooLittle = { ok: false, reason: 'too little text' };
    expect(readHtml(page(''))).toEqual(tooLittle);
    expect(readHtml(page(paragraph('x'.repeat(1_499))))).toEqual(tooLittle);
    expect(readHtml(page(paragraph('x'.repeat(1_500))))).toMatchObject({ ok: true });
  });
});

const NOTICE = '<a class="ar5iv-text-button ar5iv-severity-fatal">Conversion<br>report</a></body>';

const formulas = (count: number) => '<math alttext="x"></math>'.repeat(count);

describe('a hostile page', () => {
  it.each([
    ['100,000 blocks in each other', '<div>'.repeat(100_000)],
    ['100,000 spans in each other', '<span>'.repeat(100_000)],
    ['501 sections', section('section', '', 'A', paragraph('a')).repeat(501)],
    [
      'styles that are never closed',
      Array.from({ length: 1_000 }, (_, k) => `<p><b id="${k}">`).join(''),
    ],
  ])('a hostile page is rejected: %s', (_, article) => {
    expect(readHtml(page(FILLER + article))).toEqual(failed);
  });

  it.each([
    [
      'a table with huge spans',
      tabular(['{colspan=1000000000 rowspan=1000000000}a', 'b'], ['c', 'd']),
    ],
    ['tables in tables', '<table class="ltx_tabular"><tr><td>a<td>'.repeat(80)],
    ['notes in notes', '<span class="ltx_note"><span class="ltx_note_content">n'.repeat(150)],
    ['nothing but special characters', paragraph('*_[~`$&amp;&lt;|#\\!('.repeat(10_000))],
    ['dollars in a formula', formula('$'.repeat(25_000))],
    ['10,000 rows', `<table class="ltx_tabular">${'<tr><td>a<td>b'.repeat(10_000)}</table>`],
    [
      '10,000 equations under no number',
      `<table class="ltx_equationgroup">${`<tr>${formulas(1)}`.repeat(10_000)}</table>`,
    ],
    ['half a page', '<table class="ltx_equation"><tr class="ltx_equation"><td><math><semantics>'],
    ['lone surrogates and zero bytes', paragraph('a\ud800b\0c')],
  ])('a hostile page is read completely: %s', (_, article) => {
    const result = readHtml(page(FILLER + article));
    expect(result.ok).toBe(true);
    if (result.ok) {
      const text = result.sections.map(({ content }) => content).join('\n');
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
      expect(text).toBe(text.normalize('NFC'));
    }
  });
});
