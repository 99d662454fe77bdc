import {
  actions,
  type Content,
  copyButton,
  fold,
  make,
  plainButton,
  remarks,
  scroller,
} from './dom.ts';
import { formatDate } from './format.ts';
import type { Drawing, Shown, Stage } from './stage.ts';
import type { Meta, Paper, PaperText, Section } from './tool-reply.ts';

/** Whether this view can draw formulas; set by the build. */
declare const QUANTSHELF_HAS_FORMULAS: boolean;

const READ = 'paper_read';
const SEARCH = 'paper_search';
const MOST_AUTHORS = 6;
/** Start of a bundled paper's abstract. */
const DIGEST = /^Digest\b[^:]* by QuantShelf:/;

const LIST = new Intl.ListFormat('en-GB');

export function drawPapers(papers: readonly Paper[], { meta, args }: Shown, stage: Stage): Drawing {
  return stage.list({
    name: 'Papers',
    about: args.query,
    noun: 'paper',
    meta,
    cards: papers.map((paper) => cardOf(paper, meta, stage)),
    words: papers.some(isDigest) && 'Summaries are by QuantShelf, not by the authors.',
    credit: 'arXiv ·',
  });
}

/** Draws a paper's sections beside its table of contents. */
export function drawPaper(paper: PaperText, { meta }: Shown, stage: Stage): Drawing {
  const { title, sections, availableSections, bibtex, sourcePaperId } = paper;
  const isAbstractOnly = availableSections.every(({ section_key }) => section_key === 'abstract');
  const texts = sections.map((section, at) => textOf(section, at === 0));
  const contents = !isAbstractOnly && contentsOf(paper, texts, stage);
  const body = [
    descriptionOf(paper, stage),
    remarks(
      isDigest(paper) && 'The digest and the notes are by QuantShelf, not by the authors.',
      isAbstractOnly && 'Only the abstract is stored; the PDF has the whole paper.',
    ),
    make('div', { class: 'paper' }, contents, make('div', {}, texts)),
  ];
  const pre = make('pre', { tabindex: 0, 'aria-label': 'BibTeX' }, bibtex);
  const more = bibtex !== undefined && fold('BibTeX', pre);
  const buttons = bibtex !== undefined && copyButton('Copy BibTeX', () => bibtex);
  const titles = sections.map((section) => section.title).join(', ');
  return {
    parts: stage.layout(title, { meta, body, more, buttons, credit: 'arXiv ·' }),
    summary: `The user is reading the paper "${title}" (${sourcePaperId}), sections: ${titles}.`,
  };
}

function isDigest({ abstract }: Paper): boolean {
  return DIGEST.test(abstract);
}

function cardOf(paper: Paper, { matches }: Meta, stage: Stage) {
  const { paperCardId, availableSections, title, tags } = paper;
  const matching = matches?.find((match) => match.paperCardId === paperCardId)?.sections ?? [];
  const best = availableSections.filter(({ section_key }) =>
    matching.some((match) => match.section_key === section_key),
  );
  const chosen = best.length > 0 ? best : availableSections.slice(0, 1);
  const names = chosen.map((section) =>
    isDigest(paper) && section.section_key === 'abstract' ? 'digest' : plainName(section.title),
  );
  const sections = chosen.map(({ section_key }) => section_key);
  const topics = tags.map((tag) =>
    make('li', {}, stage.quietButton(tag, SEARCH, { query: tag, topK: 5 })),
  );
  const label = `Read the ${LIST.format(names)}`;
  return {
    title,
    facts: descriptionOf(paper, stage),
    parts: [
      make('p', {}, paper.summary),
      make('ul', { class: 'tags', 'aria-label': 'Tags' }, topics),
      actions(stage.button(label, READ, { paperCardId, sections }, true)),
    ],
  };
}

/** Lower-cases a title of plain words; any other may contain names or abbreviations. */
function plainName(title: string): string {
  return /^[A-Z][a-z ]+$/.test(title) ? title.toLowerCase() : title;
}

function descriptionOf(paper: Paper, stage: Stage): Content {
  const { authors, published, primaryCategory, version, sourcePaperId, pdfUrl } = paper;
  const more = authors.length - MOST_AUTHORS;
  const names = authors.slice(0, MOST_AUTHORS).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const day = published && formatDate(published);
  const facts = [day, primaryCategory, version && `version ${version}`].filter(Boolean);
  const id = /^arxiv:(.+)$/.exec(sourcePaperId)?.[1];
  const page = id && [stage.port.link(`arXiv ${id}`, `https://arxiv.org/abs/${id}`), ' · '];
  // Hosts do not open local files.
  const pdf = /^https?:/.test(pdfUrl) ? stage.port.link('PDF', pdfUrl) : 'your own file';
  return [
    make('p', { class: 'authors' }, names),
    make('p', { class: 'facts' }, [...facts, ''].join(' · '), page, pdf),
  ];
}

/** The table of contents: an entry scrolls to its section, or reads it if the reply lacks it. */
function contentsOf(
  { paperCardId, availableSections, sections }: PaperText,
  texts: readonly HTMLDetailsElement[],
  stage: Stage,
): Content {
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
  return make('nav', { class: 'contents', 'aria-label': 'Contents' }, make('ol', {}, items));
}

function textOf({ title, content = '' }: Section, isOpen: boolean): HTMLDetailsElement {
  const text = scroller('text', title, content);
  const section = fold(title, text);
  const draw = () => void drawFormulas(text, content);
  if (content.includes('$')) section.addEventListener('toggle', draw, { once: true });
  section.open = isOpen;
  return section;
}

/** Draws the formulas in a text. If the library cannot be loaded, the text keeps its TeX. */
async function drawFormulas(element: HTMLElement, text: string): Promise<void> {
  const library = QUANTSHELF_HAS_FORMULAS && (await import('./formulas.ts').catch(() => undefined));
  if (library) element.replaceChildren(...library.withFormulas(text, element.closest('.paper')));
}
