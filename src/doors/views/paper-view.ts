import type { Meta, Paper, PaperReading, Section } from './answer.ts';
import { actions, copyButton, fold, foldButton, make, plainButton, remarks } from './dom.ts';
import { countOf, formatDate } from './format.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

const READ = 'paper_read';
const SEARCH = 'paper_search';
/** How many authors of a paper and papers of a list show at first. */
const SHOWN = { authors: 6, papers: 5 };
/** How the abstract of a bundled paper begins. */
const DIGEST = /^Digest\b[^:]* by QuantShelf:/;

const LIST = new Intl.ListFormat('en-GB');

/** Explains a verdict of the ranking, unless the match is good. */
export function verdictWords({ verdict }: Meta): string[] {
  if (verdict === 'weak') return ['These are near the question, but may not answer it.'];
  return verdict === 'none' ? ['Nothing on the shelf answers this.'] : [];
}

/** Results of a search as cards; without an answer, the nearest as a small card. */
export function drawPapers(papers: readonly Paper[], { meta, args }: Shown, stage: Stage): Drawing {
  const query = typeof args.query === 'string' ? args.query : undefined;
  const title = query === undefined ? 'Papers' : `Papers: ${query}`;
  const isNone = meta.verdict === 'none';
  const cards = papers.map((paper) =>
    isNone ? smallCardOf(paper, stage) : cardOf(paper, meta, stage),
  );
  const isDigested = !isNone && papers.some(isDigest);
  const body = [
    ...remarks([
      ...verdictWords(meta),
      ...(isDigested ? ['Summaries are by QuantShelf, not by the authors.'] : []),
    ]),
    ...cards,
  ];
  const buttons = foldButton(cards.slice(SHOWN.papers), 'paper');
  return {
    parts: stage.layout(title, { meta, body, buttons, source: ['arXiv ·'] }),
    summary: `The user sees ${countOf(papers.length, 'paper')} in the view: ${title}.`,
  };
}

/** The sections that were read, next to the table of contents. */
export function drawPaper(paper: PaperReading, { meta }: Shown, stage: Stage): Drawing {
  const { title, sections, availableSections, bibtex, sourcePaperId } = paper;
  const isAbstractOnly = availableSections.every(({ section_key }) => section_key === 'abstract');
  const texts = sections.map((section, at) => textOf(section, at === 0));
  const body = [
    ...descriptionOf(paper, stage),
    ...remarks([
      ...(isDigest(paper) ? ['Digest and notes are by QuantShelf, not by the authors.'] : []),
      ...(isAbstractOnly ? ['Only the abstract is stored; the PDF has the whole paper.'] : []),
    ]),
    make(
      'div',
      { class: 'paper' },
      ...(isAbstractOnly ? [] : [contentsOf(paper, texts, stage)]),
      make('div', {}, ...texts),
    ),
  ];
  const pre = make('pre', { tabindex: 0, 'aria-label': 'BibTeX' }, bibtex ?? '');
  const more = bibtex === undefined ? [] : [fold('BibTeX', pre)];
  const buttons = bibtex === undefined ? [] : copyButton('Copy BibTeX', () => bibtex);
  const titles = sections.map((section) => section.title).join(', ');
  return {
    parts: stage.layout(title, { meta, body, more, buttons, source: ['arXiv ·'] }),
    summary: `The user reads ${titles} of the paper "${title}" (${sourcePaperId}).`,
  };
}

function isDigest({ abstract }: Paper): boolean {
  return DIGEST.test(abstract);
}

function cardOf(paper: Paper, { matches }: Meta, stage: Stage): HTMLElement {
  const { paperCardId, availableSections, title, tags } = paper;
  const found = matches?.find((match) => match.paperCardId === paperCardId)?.sections ?? [];
  const best = availableSections.filter(({ section_key }) =>
    found.some((match) => match.section_key === section_key),
  );
  const chosen = best.length > 0 ? best : availableSections.slice(0, 1);
  const isDigested = isDigest(paper);
  const names = chosen.map((section) =>
    isDigested && section.section_key === 'abstract' ? 'digest' : plainName(section.title),
  );
  const sections = chosen.map(({ section_key }) => section_key);
  return make(
    'article',
    {},
    stage.subheading(title),
    ...descriptionOf(paper, stage),
    make('p', {}, paper.summary),
    make(
      'ul',
      { class: 'tags', 'aria-label': 'Tags' },
      ...tags.map((tag) => make('li', {}, stage.quietButton(tag, SEARCH, { query: tag, topK: 5 }))),
    ),
    ...actions(
      stage.button(`Read the ${LIST.format(names)}`, READ, { paperCardId, sections }, true),
    ),
  );
}

/** Lower-cases a plain title; names and abbreviations keep their capitals. */
function plainName(title: string): string {
  return /^[A-Z][a-z ]+$/.test(title) ? title.toLowerCase() : title;
}

function smallCardOf(paper: Paper, stage: Stage): HTMLElement {
  const [, facts = ''] = descriptionOf(paper, stage);
  return make('div', { class: 'small' }, `The nearest: ${paper.title}`, facts);
}

/** Authors, date, version and links. */
function descriptionOf(paper: Paper, stage: Stage): HTMLElement[] {
  const { authors, published, primaryCategory, version, sourcePaperId, pdfUrl } = paper;
  const more = authors.length - SHOWN.authors;
  const names = authors.slice(0, SHOWN.authors).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const day = published && formatDate(published);
  const facts = [day, primaryCategory, version && `version ${version}`].filter(Boolean);
  const id = /^arxiv:(.+)$/.exec(sourcePaperId)?.[1];
  const page =
    id === undefined ? [] : [stage.port.link(`arXiv ${id}`, `https://arxiv.org/abs/${id}`), ' · '];
  // Hosts do not open local files.
  const pdf = /^https?:/.test(pdfUrl) ? stage.port.link('PDF', pdfUrl) : 'your own file';
  return [
    make('p', { class: 'authors' }, names),
    make('p', { class: 'facts' }, [...facts, ''].join(' · '), ...page, pdf),
  ];
}

/** A button for each section: scrolls to it, or reads it. */
function contentsOf(
  paper: PaperReading,
  texts: readonly HTMLDetailsElement[],
  stage: Stage,
): HTMLElement {
  const { paperCardId, availableSections, sections } = paper;
  const items = availableSections.map(({ section_key, title }) => {
    const text = texts[sections.findIndex((each) => each.section_key === section_key)];
    const args = { paperCardId, sections: [section_key] };
    if (text === undefined) return make('li', {}, stage.quietButton(title, READ, args));
    const button = plainButton(title, () => {
      text.open = true;
      text.scrollIntoView({ block: 'nearest' });
      text.querySelector('summary')?.focus({ preventScroll: true });
    });
    return make('li', {}, button);
  });
  return make('nav', { class: 'contents', 'aria-label': 'Contents' }, make('ol', {}, ...items));
}

function textOf({ title, content = '' }: Section, isOpen: boolean): HTMLDetailsElement {
  const text = make(
    'div',
    { class: 'text', tabindex: 0, role: 'region', 'aria-label': title },
    content,
  );
  const section = fold(title, text);
  section.open = isOpen;
  return section;
}
