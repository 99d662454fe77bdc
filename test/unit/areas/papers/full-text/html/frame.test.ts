import { expect, it } from 'vitest';
import { readHtml, readPage } from '../../../../../../src/areas/papers/full-text/html/html.ts';
import { FILLER } from './paper.ts';

const ALERT =
  '<div class="package-alerts ltx_document" role="status" aria-label="Conversion errors have been found"><button aria-label="Dismiss alert">x</button><p>Some packages did not convert.</p><ul><li>failed: knots</li></ul></div>';
const LIST =
  '<ol class="ltx_toclist"><li class="ltx_tocentry ltx_tocentry_section"><a class="ltx_ref" href="#S1"><span class="ltx_text ltx_ref_title"><span class="ltx_tag ltx_tag_ref">1 </span>Listed</span></a></li></ol>';
const FAILED = '<span class="ltx_ERROR undefined">\\knot</span>';
const LICENSE = '<a id="license-tr" href="#">License: CC BY 4.0</a>';
const SECTION =
  '<section class="ltx_section" id="S1"><h2 class="ltx_title ltx_title_section"><span class="ltx_tag ltx_tag_section">1 </span>Curves</h2>';
const ARTICLE = `<h1 class="ltx_title ltx_title_document">Knots</h1>${SECTION}${FILLER}</section>`;

/** Pieces of the page frame that share classes with the paper, or are inside its container. */
const FRAME = Object.entries({
  'an alert with a failed command': ALERT.replace('failed: knots', FAILED.repeat(90)),
  'a navigation bar with a contents list': `<nav class="ltx_page_navbar"><nav class="ltx_TOC">${LIST}</nav></nav>`,
  'a box with licence and watermark': `<div id="infobox" class="infobox">${LICENSE}<div id="watermark-tr">arXiv:1 [q-fin] May</div></div>`,
  'a dialog that shows a paper': `<dialog id="modal"><article class="ltx_document">${FILLER.repeat(3)}</article></dialog>`,
  'a script that names the classes': `<script>document.querySelector('.ltx_document'); "<math><article class='ltx_document'>"</script>`,
});

const build = (before: string, inside: string, after: string) =>
  `<!DOCTYPE html><html><body>${before}<div class="ltx_page_main"><div class="ltx_page_content"><article class="ltx_document ltx_authors_1line">${inside}</article></div></div>${after}</body></html>`;
const plain = readHtml(build('', ARTICLE, ''));

it('a paper is read from inside the frame of its page', () => {
  expect(plain).toMatchObject({ ok: true, sections: [{ key: 's00-curves', title: '1 Curves' }] });
});

it.each(FRAME)('%s is ignored before, after, inside and around the paper in a page', (_, piece) => {
  const outer = build('', ARTICLE, '').replace(
    '<div class="ltx_page_content">',
    `<div class="ltx_page_content ltx_document">${piece}`,
  );
  expect(readHtml(build(piece, ARTICLE, piece))).toEqual(plain);
  expect(readHtml(build('', piece + ARTICLE + piece, ''))).toEqual(plain);
  expect(readHtml(outer)).toEqual(plain);
});

it('the paper in a page is found in the div of older conversions, even below an alert', () => {
  const div = (before: string) =>
    `<body>${before}<div class="ltx_page_content"><div class="ltx_document">${ARTICLE}</div></div></body>`;
  expect(readHtml(div(''))).toEqual(plain);
  expect(readHtml(div(ALERT))).toEqual(plain);
});

it('failed commands count only inside the paper of a page', () => {
  const read = readPage(build(`<div>${FAILED}</div>${ALERT}`, ARTICLE + FAILED, FAILED));
  expect(read).toMatchObject({ unknown: new Set(['\\knot']) });
});
