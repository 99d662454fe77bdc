import { expect, it } from 'vitest';
import { readHtml } from '../../../../../../src/areas/papers/full-text/html/html.ts';
import { FILLER, formula, page, paragraph, section, tabular } from './paper.ts';

const error = (command: string) => `<span class="ltx_ERROR undefined">${command}</span>`;

const NOTICE = '<a class="ar5iv-text-button ar5iv-severity-fatal">Conversion<br>report</a></body>';
const WORDS = paragraph('word '.repeat(1000));
const MOVED = `<div class="ltx_para">${paragraph('A.')}</div>`;
const STRAY = page(`${FILLER}</div></div>${MOVED}`);
const ALERT = '<div class="package-alerts ltx_document">x</div>';
const ROW = '<tr><math alttext="x"></math>';
const SECTION = section('section', '', 'A', paragraph('a'));
const STYLES = Array.from({ length: 1_000 }, (_, k) => `<p><b id="${k}">`);
/** This many different unknown commands. */
const commands = (count: number) =>
  Array.from({ length: count }, (_, at) => error(`\\foo${String.fromCharCode(97 + at)}`)).join('');

it.each([
  ['not a paper', 'is empty', ''],
  ['not a paper', 'is an error page', '<html><body><h1>No HTML for 2501.00001</h1></body></html>'],
  ['not a paper', 'only mentions the class of a paper', '<p>Look for class ltx_document.</p>'],
  ['not a paper', 'has only an alert with the class of a paper', ALERT + FILLER],
  ['failed conversion', 'has a notice of a fatal error', page(FILLER).replace('</body>', NOTICE)],
  ['failed conversion', 'has 11 different unknown commands', page(WORDS + commands(11))],
  ['failed conversion', 'has text that a stray tag moved outside the paper', STRAY],
  ['failed conversion', 'nests 100,000 blocks', page(FILLER + '<div>'.repeat(100_000))],
  ['failed conversion', 'nests 100,000 spans', page(FILLER + '<span>'.repeat(100_000))],
  ['failed conversion', 'has 501 sections', page(FILLER + SECTION.repeat(501))],
  ['failed conversion', 'never closes its styles', page(FILLER + STYLES.join(''))],
  ['too little text', 'has no text', page('')],
  ['too little text', 'has 1,499 characters', page(paragraph('x'.repeat(1_499)))],
])('a page is rejected as "%s" if it %s', (reason, _, html) => {
  expect(readHtml(html)).toEqual({ ok: false, reason });
});

it.each([
  ['10 different unknown commands', WORDS + commands(10)],
  ['one unknown command repeated 500 times', WORDS + error('\\foo').repeat(500)],
  ['text after a section', FILLER + MOVED],
  ['1,500 characters', paragraph('x'.repeat(1_500))],
])('a page with %s is accepted as a paper', (_, article) => {
  expect(readHtml(page(article))).toMatchObject({ ok: true });
});

it.each([
  ['huge spans in a table', tabular(['{colspan=1000000000 rowspan=1000000000}a', 'b'], ['c', 'd'])],
  ['80 nested tables', '<table class="ltx_tabular"><tr><td>a<td>'.repeat(80)],
  ['150 nested notes', '<span class="ltx_note"><span class="ltx_note_content">n'.repeat(150)],
  ['130,000 special characters', paragraph('*_[~`$&amp;&lt;|#\\!('.repeat(10_000))],
  ['25,000 dollar signs in a formula', formula('$'.repeat(25_000))],
  ['10,000 table rows', `<table class="ltx_tabular">${'<tr><td>a<td>b'.repeat(10_000)}</table>`],
  ['10,000 unnumbered equations', `<table class="ltx_equationgroup">${ROW.repeat(10_000)}</table>`],
  ['no end tags', '<table class="ltx_equation"><tr class="ltx_equation"><td><math><semantics>'],
  ['lone surrogates and zero bytes', paragraph('a\ud800b\0c')],
])('a page with %s is read as text without invisible characters', (_, article) => {
  const result = readHtml(page(FILLER + article));
  expect(result.ok).toBe(true);
  if (result.ok) {
    const text = result.sections.map(({ content }) => content).join('\n');
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
    expect(text).toBe(text.normalize('NFC'));
  }
});
