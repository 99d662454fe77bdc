import type { Meta, Paper, Section } from './answer.ts';
import {
  actions,
  ageOf,
  type Child,
  fold,
  foldButton,
  make,
  mark,
  noteOf,
  remarks,
  tagList,
} from './dom.ts';
import { countOf, formatDate } from './format.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

const READ = 'paper_read';
/** Authors of a paper and papers of a list that are shown at once. */
const SHOWN = { authors: 6, papers: 5 };
/** How the abstract of a bundled paper begins. */
const DIGEST = /^Digest\b[^:]* by QuantShelf:/;

/** What a verdict of the ranking means to the reader. */
export const VERDICTS: Readonly<Record<string, string>> = {
  weak: 'These are near the question, but may not answer it.',
  none: 'Nothing on the shelf seems related.',
};

export function verdictMark({ verdict }: Meta): Child[] {
  if (verdict === 'weak') return [' ', mark('Weak match', 'warn')];
  return verdict === 'none' ? [' ', mark('No real match', 'warn')] : [];
}

/** Papers that were searched for, as cards. */
export function drawPapers(papers: readonly Paper[], { meta, args }: Shown, stage: Stage): Drawing {
  const query = typeof args.query === 'string' ? args.query : undefined;
  const title = query === undefined ? 'Papers' : `Papers: ${query}`;
  const cards = papers.map((paper) => cardOf(paper, meta, stage));
  const verdict = VERDICTS[meta.verdict ?? ''];
  return {
    parts: [
      stage.heading(title),
      make('p', { class: 'facts' }, countOf(papers.length, 'paper'), ...verdictMark(meta)),
      ...remarks([
        ...(verdict === undefined ? [] : [verdict]),
        ...(papers.some(isDigest) ? ['Summaries are by QuantShelf, not by the authors.'] : []),
      ]),
      ...cards,
      ...foldButton(cards, SHOWN.papers, 'paper'),
      ...noteOf(meta),
      make('p', { class: 'source' }, `arXiv · ${ageOf(meta)}`),
      ...actions(stage.back()),
    ],
    summary: `The user sees ${countOf(papers.length, 'paper')} in the view: ${title}.`,
  };
}

/** A paper with the sections that were read. */
export function drawPaper(paper: Paper, { meta }: Shown, stage: Stage): Drawing {
  const { title, sections = [], availableSections, bibtex } = paper;
  const shown = new Set(sections.map(({ section_key }) => section_key));
  const others = availableSections.filter(({ section_key }) => !shown.has(section_key));
  const isAbstractOnly = availableSections.every(({ section_key }) => section_key === 'abstract');
  return {
    parts: [
      stage.heading(title),
      ...descriptionOf(paper, stage),
      ...remarks([
        ...(isDigest(paper) ? ['Digest and notes are by QuantShelf, not by the authors.'] : []),
        ...(isAbstractOnly ? ['Only the abstract is stored; the PDF has the whole paper.'] : []),
      ]),
      ...sections.map((section, at) => textOf(section, at === 0)),
      ...sectionButtons('Other sections', paper, others, stage),
      ...(bibtex === undefined
        ? []
        : [fold('BibTeX', make('pre', { tabindex: 0, 'aria-label': 'BibTeX' }, bibtex))]),
      ...noteOf(meta),
      make('p', { class: 'source' }, ageOf(meta)),
      ...actions(stage.back()),
    ],
    summary: `The user reads ${sections.map((section) => section.title).join(', ')} of the paper "${title}" (${paper.sourcePaperId}).`,
  };
}

function isDigest({ abstract }: Paper): boolean {
  return DIGEST.test(abstract);
}

function cardOf(paper: Paper, { matches }: Meta, stage: Stage): HTMLElement {
  const { paperCardId, availableSections, title } = paper;
  const keys = matches.get(paperCardId) ?? [];
  const best = availableSections.filter(({ section_key }) => keys.includes(section_key));
  const readable = best.length > 0 ? best : availableSections.slice(0, 1);
  const sections = readable.map(({ section_key }) => section_key);
  const label = `Read ${readable.map((section) => section.title).join(', ')}`;
  return make(
    'article',
    {},
    stage.subheading(title),
    ...descriptionOf(paper, stage),
    make('p', {}, paper.summary),
    ...tagList(paper.tags),
    ...actions(stage.button(label, READ, { paperCardId, sections }, true)),
    ...sectionButtons(
      countOf(availableSections.length, 'section'),
      paper,
      availableSections,
      stage,
    ),
  );
}

/** Who wrote it, when, and where it is. */
function descriptionOf(paper: Paper, stage: Stage): HTMLElement[] {
  const { authors, published, primaryCategory, version, sourcePaperId, pdfUrl } = paper;
  const more = authors.length - SHOWN.authors;
  const names = authors.slice(0, SHOWN.authors).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const facts = [
    ...(published === undefined ? [] : [formatDate(published)]),
    ...(primaryCategory === undefined ? [] : [primaryCategory]),
    ...(version === undefined ? [] : [`version ${version}`]),
  ];
  const id = /^arxiv:(.+)$/.exec(sourcePaperId)?.[1];
  const page =
    id === undefined ? [] : [stage.link(`arXiv ${id}`, `https://arxiv.org/abs/${id}`), ' · '];
  // A file on the user's disk is no address that a host opens.
  const pdf = /^https?:/.test(pdfUrl) ? stage.link('PDF', pdfUrl) : 'your own file';
  return [
    make('p', { class: 'authors' }, names),
    make('p', { class: 'facts' }, [...facts, ''].join(' · '), ...page, pdf),
  ];
}

/** Sections by name and size, each with a button to read it where that is possible. */
function sectionButtons(
  summary: string,
  { paperCardId }: Paper,
  sections: readonly Section[],
  stage: Stage,
): Child[] {
  if (sections.length === 0) return [];
  const items = sections.map(({ section_key, title, char_count }) => {
    const size = `${char_count.toLocaleString('en-US')} characters`;
    const [button] = stage.button(title, READ, { paperCardId, sections: [section_key] }, true);
    return make('li', {}, button ?? title, ' ', make('small', {}, size));
  });
  return [fold(summary, make('ul', { class: 'sections' }, ...items))];
}

function textOf({ title, content = '' }: Section, isOpen: boolean): HTMLElement {
  const text = make(
    'div',
    { class: 'text', tabindex: 0, role: 'region', 'aria-label': title },
    content,
  );
  const section = fold(title, text);
  section.open = isOpen;
  return section;
}
