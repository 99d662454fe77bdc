import { expect, it } from 'vitest';
import { readHtml } from '../../../../../../src/areas/papers/full-text/html/html.ts';
import { FILLER, formula, page, paragraph, section, tabular } from './paper.ts';

const error = (command: string) => `<span class="ltx_ERROR undefined">${command}</span>`;

const NOTICE = '<a class="ar5iv-text-button ar5iv-severity-fatal">Conversion<br>report</a></body>';
const WORDS = paragraph('word '.repeat(1000));
const MOVED = `<div class="ltx_para">${paragraph('A.')}</div>`;
const SECTION = section('section', '', 'A', paragraph('a'));
const STYLES = Array.from({ length: 1_000 }, (_, k) => `<p><b id="${k}">`);
/** This many different unknown commands. */
const commands = (count: number) =>
  Array.from({ length: count }, (_, at) => error(`\\foo${String.fromCharCode(97 + at)}`)).join('');

it.each([
  ['not a paper', 'is empty', ''],
  ['not a paper', 'is an error page', '<html><body><h1>No HTML for 2501.00001</h1></body></html>'],
  ['not a paper', 'is about pages', '<p>Look for class ltx_document.</p>'],
  [
    'not a paper',
    'has only an alert with the class of a paper',
    `<div class="package-alerts ltx_document">x</div>${FILLER}`,
  ],
  ['failed conversion', 'says so in a notice', page(FILLER).replace('</body>', NOTICE)],
  ['failed conversion', 'has 11 different unknown commands', page(WORDS + commands(11))],
  [
    'failed conversion',
    'has text that a stray tag moved outside the paper',
    page(`${FILLER}</div></div>${MOVED}`),
  ],
  ['failed conversion', 'has 100,000 blocks in each other', page(FILLER + '<div>'.repeat(100_000))],
  ['failed conversion', 'has 100,000 spans in each other', page(FILLER + '<span>'.repeat(100_000))],
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
])('a page is a paper if it has %s', (_, article) => {
  expect(readHtml(page(article))).toMatchObject({ ok: true });
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
    `<table class="ltx_equationgroup">${'<tr><math alttext="x"></math>'.repeat(10_000)}</table>`,
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
