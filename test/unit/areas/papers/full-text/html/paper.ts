import { readPage } from '../../../../../../src/areas/papers/full-text/html/html.ts';
import type { TextSection } from '../../../../../../src/areas/papers/full-text/sections/sections.ts';

/** A page as LaTeXML writes it, around the given article. */
export function page(article: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>A paper</title></head><body>
<div class="ltx_page_main"><div class="ltx_page_content">
<article class="ltx_document ltx_authors_1line">${article}</article>
</div></div></body></html>`;
}

export function sectionsOf(article: string): TextSection[] {
  const read = readPage(page(article));
  if (typeof read === 'string') throw new Error(read);
  return read.sections;
}

/** The Markdown of an article without sections. */
export function markdownOf(article: string): string {
  return sectionsOf(article)
    .map((section) => section.content)
    .join('\n=====\n');
}

/** The Markdown of a paragraph. */
export const inline = (html: string) => markdownOf(paragraph(html));

type Kind = 'section' | 'subsection' | 'subsubsection' | 'paragraph' | 'subparagraph' | 'appendix';

export function section(kind: Kind | 'part' | 'chapter', tag: string, title: string, body: string) {
  const number = tag === '' ? '' : `<span class="ltx_tag ltx_tag_${kind}">${tag} </span>`;
  return `<section class="ltx_${kind}"><h2 class="ltx_title ltx_title_${kind}">${number}${title}</h2>${body}</section>`;
}

export function paragraph(content: string): string {
  return `<div class="ltx_para"><p class="ltx_p">${content}</p></div>`;
}

export function formula(tex: string, display = 'inline'): string {
  return `<math class="ltx_Math" alttext="${tex}" display="${display}"><semantics><mrow><mi>x</mi></mrow><annotation-xml encoding="MathML-Content"><ci>x</ci></annotation-xml><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`;
}

export function note(mark: string, content: string): string {
  return `<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">${mark}</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">${mark}</sup><span class="ltx_tag ltx_tag_note">${mark}</span>${content}</span></span></span>`;
}

/** A row of an equation table, with its number if it has one. */
export function row(cells: readonly string[], number?: string, rowspan = 1): string {
  const eqno =
    number === undefined
      ? ''
      : `<td rowspan="${rowspan}" class="ltx_eqn_cell ltx_eqn_eqno ltx_align_middle"><span class="ltx_tag ltx_tag_equation">${number}</span></td>`;
  const body = cells.map((cell) => `<td class="ltx_td ltx_eqn_cell">${cell}</td>`).join('');
  return `<tr class="ltx_equation ltx_eqn_row"><td class="ltx_eqn_cell ltx_eqn_center_padleft"></td>${body}<td class="ltx_eqn_cell ltx_eqn_center_padright"></td>${eqno}</tr>`;
}

export function equation(rows: string, kind = 'ltx_equation'): string {
  return `<table class="${kind} ltx_eqn_table"><tbody>${rows}</tbody></table>`;
}

/** Rows of cells; a cell may start with attributes in braces: "{colspan=2}wide". */
export function tabular(...rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const [, attributes = '', content = ''] = /^(?:\{([^}]*)\})?([\s\S]*)$/.exec(text) ?? [];
    return `<td class="ltx_td ltx_align_center" ${attributes}>${content}</td>`;
  };
  const body = rows.map((cells) => `<tr class="ltx_tr">${cells.map(cell).join('')}</tr>`).join('');
  return `<table class="ltx_tabular ltx_align_middle"><tbody class="ltx_tbody">${body}</tbody></table>`;
}

export function list(kind: 'ul' | 'ol', ...items: readonly (readonly [string, string])[]): string {
  const name = kind === 'ul' ? 'ltx_itemize' : 'ltx_enumerate';
  const body = items.map(
    ([tag, content]) =>
      `<li class="ltx_item"><span class="ltx_tag ltx_tag_item">${tag}</span> <div class="ltx_para">${content}</div></li>`,
  );
  return `<${kind} class="${name}">${body.join('')}</${kind}>`;
}

/** Enough words for a page to count as a paper. */
export const FILLER = paragraph('The curve was fitted again with fewer knots. '.repeat(40));
