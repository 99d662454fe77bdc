import { escapeXml } from './arxiv-oai.ts';
import { lines, makePdf as makePages } from './pdf.ts';

export interface PageSection {
  title: string;
  /** A paragraph of plain text. */
  text: string;
  /** TeX of a display formula after the text. */
  formula?: string;
}

export interface PageFacts {
  title: string;
  abstract?: string;
  authors?: readonly string[];
  sections: readonly PageSection[];
  /** Entries of the bibliography, plain text. */
  references?: readonly string[];
}

/** A page as LaTeXML generates it and arXiv serves it, with part of the page frame. */
export function makeHtmlPage({
  title,
  abstract,
  authors,
  sections,
  references,
}: PageFacts): string {
  const names = (authors ?? []).map(
    (name) => `<span class="ltx_personname">${escapeXml(name)}</span>`,
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta content="text/html; charset=utf-8" http-equiv="content-type"/>
<title>${escapeXml(title)}</title>
<style>.ltx_page_main { margin: 0 auto; }</style>
</head>
<body>
<header class="arxiv-html-header"><button>Report an issue</button></header>
<div class="ltx_page_main">
<div class="ltx_page_content">
<article class="ltx_document ltx_authors_1line">
<h1 class="ltx_title ltx_title_document">${escapeXml(title)}</h1>
<div class="ltx_authors"><span class="ltx_creator ltx_role_author">${names.join(', ')}</span></div>
${abstract === undefined ? '' : `<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>\n<p class="ltx_p" id="id1.p1">${escapeXml(abstract)}</p>\n</div>`}
${sections.map(renderSection).join('\n')}
${references === undefined ? '' : renderReferences(references)}
</article>
</div>
<footer class="ltx_page_footer"><div class="ltx_page_logo">Made for a test</div></footer>
</div>
<script>window.ready = true;</script>
</body>
</html>
`;
}

function renderSection({ title, text, formula }: PageSection, index: number): string {
  const number = index + 1;
  return `<section class="ltx_section" id="S${number}">
<h2 class="ltx_title ltx_title_section"><span class="ltx_tag ltx_tag_section">${number} </span>${escapeXml(title)}</h2>
<div class="ltx_para" id="S${number}.p1"><p class="ltx_p">${escapeXml(text)}</p></div>
${formula === undefined ? '' : renderFormula(formula, number)}
</section>`;
}

function renderFormula(tex: string, number: number): string {
  const shown = escapeXml(tex);
  return `<table class="ltx_equation ltx_eqn_table" id="S${number}.E${number}"><tbody><tr class="ltx_equation ltx_eqn_row ltx_align_baseline">
<td class="ltx_eqn_cell ltx_eqn_center_padleft"></td>
<td class="ltx_eqn_cell ltx_align_center"><math alttext="${shown}" class="ltx_Math" display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">${shown}</annotation></semantics></math></td>
<td class="ltx_eqn_cell ltx_eqn_center_padright"></td>
<td class="ltx_eqn_cell ltx_eqn_eqno ltx_align_middle ltx_align_right"><span class="ltx_tag ltx_tag_equation ltx_align_right">(${number})</span></td>
</tr></tbody></table>`;
}

function renderReferences(references: readonly string[]): string {
  const items = references.map(
    (text, index) =>
      `<li class="ltx_bibitem" id="bib.bib${index + 1}"><span class="ltx_tag ltx_role_refnum ltx_tag_bibitem">[${index + 1}]</span><span class="ltx_bibblock">${escapeXml(text)}</span></li>`,
  );
  return `<section class="ltx_bibliography" id="bib"><h2 class="ltx_title ltx_title_bibliography">References</h2>
<ul class="ltx_biblist">${items.join('\n')}</ul></section>`;
}

/** A page that is long enough to count as the text of a paper. */
export const LONG_PAGE = makeHtmlPage({
  title: 'Spreads',
  sections: [{ title: 'Results', text: 'Wider spreads cost more. '.repeat(100) }],
});

/** A one-page PDF with one line of text for each of `texts` (ASCII). */
export function makePdf(texts: readonly string[]): Buffer {
  return Buffer.from(makePages([lines(740, texts, { x: 60, size: 11, leading: 14 })]));
}
