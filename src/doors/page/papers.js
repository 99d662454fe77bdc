import { ask, faultOf } from './api.js';
import { linkTo, make, prose } from './dom.js';
import { countOf, formatDate } from './format.js';

/** A longer list of authors is cut. */
const MOST_AUTHORS = 6;

/**
 * @param {any[]} cards data of paper_search
 * @param {any} meta
 * @returns {Node[]}
 */
export function viewPapers(cards, meta) {
  const understood = meta.understood ?? [];
  return [
    ...(understood.length === 0
      ? []
      : [make('p', { class: 'said' }, `Understood: ${understood.join('; ')}.`)]),
    ...cards.map((card) => {
      const match = meta.matches?.find(
        (/** @type {any} */ each) => each.paperCardId === card.paperCardId,
      );
      return viewCard(card, match, sectionsOf(card));
    }),
  ];
}

/**
 * @param {any} paper data of paper_read
 * @returns {Node[]}
 */
export function viewPaper(paper) {
  const sections = paper.sections.map((/** @type {any} */ section, /** @type {number} */ at) =>
    make(
      'details',
      { class: 'section', open: at === 0 },
      make('summary', {}, ...titleOf(section)),
      make('div', { class: 'text' }, section.content),
    ),
  );
  const bibtex =
    paper.bibtex === undefined
      ? []
      : [
          make(
            'details',
            { class: 'section' },
            make('summary', {}, 'BibTeX'),
            make('pre', { tabindex: 0, 'aria-label': 'BibTeX' }, paper.bibtex),
          ),
        ];
  return [viewCard(paper, undefined, [...sections, ...bibtex])];
}

/**
 * @param {any} card
 * @param {any} match its entry in meta.matches
 * @param {readonly Node[]} sections
 */
function viewCard(card, match, sections) {
  const categories = card.categories ?? [card.primaryCategory].filter(Boolean);
  const facts = [
    card.published === undefined ? '' : formatDate(card.published),
    categories.join(', '),
    card.version === undefined ? '' : `version ${card.version}`,
    match === undefined ? '' : `score ${match.score.toFixed(2)}`,
  ].filter(Boolean);
  return make(
    'article',
    { class: 'card' },
    make('h3', {}, card.title),
    make('p', { class: 'authors' }, sayAuthors(card.authors)),
    make('p', { class: 'facts' }, facts.join(' · '), ' · ', ...linksOf(card)),
    make('p', {}, card.summary),
    tagsOf(card.tags),
    ...(match === undefined ? [] : [viewMatch(match, card)]),
    ...sections,
  );
}

/** @param {any} card */
function linksOf({ sourcePaperId, pdfUrl }) {
  const id = /^arxiv:(.+)$/.exec(sourcePaperId)?.[1];
  const page =
    id === undefined ? [] : [linkTo(`arXiv ${id}`, `https://arxiv.org/abs/${id}`), ' · '];
  return [...page, linkTo('PDF', pdfUrl)];
}

/** @param {string[]} authors */
function sayAuthors(authors) {
  if (authors.length <= MOST_AUTHORS) return authors.join(', ');
  return `${authors.slice(0, MOST_AUTHORS).join(', ')} and ${authors.length - MOST_AUTHORS} more`;
}

/** @param {readonly string[]} tags */
export function tagsOf(tags) {
  return make(
    'ul',
    { class: 'tags', 'aria-label': 'Tags' },
    ...tags.map((tag) => make('li', {}, tag)),
  );
}

/**
 * @param {any} match
 * @param {any} card
 */
function viewMatch({ sections }, { availableSections }) {
  if (sections.length === 0) return '';
  const found = sections.map((/** @type {any} */ { section_key, score }) => {
    const section = availableSections.find(
      (/** @type {any} */ each) => each.section_key === section_key,
    );
    return `${section?.title ?? section_key} (${score.toFixed(2)})`;
  });
  return make('p', { class: 'match' }, `Answers best in ${found.join(', ')}`);
}

/**
 * The sections that can be read, each fetched when it is opened; reading is free.
 * @param {any} card
 */
function sectionsOf({ paperCardId, availableSections, fullTextCharCount }) {
  const list = availableSections.map((/** @type {any} */ section) => {
    const text = make('div', { class: 'text', 'aria-live': 'polite' });
    const part = make(
      'details',
      { class: 'section' },
      make('summary', {}, ...titleOf(section)),
      text,
    );
    part.addEventListener('toggle', () => {
      if (part.open && text.textContent === '') void fill(text, paperCardId, section.section_key);
    });
    return part;
  });
  const size = `${fullTextCharCount.toLocaleString('en-US')} characters`;
  return [
    make(
      'details',
      { class: 'sections' },
      make('summary', {}, `${countOf(list.length, 'section')} to read, ${size}`),
      ...list,
    ),
  ];
}

/**
 * @param {HTMLElement} text
 * @param {string} paperCardId
 * @param {string} key
 */
async function fill(text, paperCardId, key) {
  text.textContent = 'Reading …';
  const answer = await ask('POST', '/api/paper/read', { paperCardId, sections: [key] });
  const fault = faultOf(answer);
  text.classList.toggle('bad', fault !== '');
  if (fault !== '') {
    text.replaceChildren(...prose(fault));
    return;
  }
  const notice = answer.json.meta.notice;
  text.replaceChildren(
    ...answer.json.data.sections.map((/** @type {any} */ { content }) => make('div', {}, content)),
    ...(notice === undefined ? [] : [make('p', { class: 'said' }, ...prose(notice))]),
  );
}

/** @param {any} section */
function titleOf({ title, char_count }) {
  return [title, ' ', make('small', {}, `${char_count.toLocaleString('en-US')} characters`)];
}
