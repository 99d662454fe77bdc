import { toAscii } from '../../../../core/clean.ts';
import { plainTex } from '../../digest/latex.ts';
import { arxivIdOf, monthOf } from '../ids.ts';
import { nameToBibtex, surnameOf } from './names.ts';
import { titleToBibtex } from './title.ts';

/** The facts of a bibliography entry. */
export interface CitedPaper {
  sourceId: string;
  title: string;
  /** Forenames first. */
  authors: readonly string[];
  categories: readonly string[];
  /** YYYY-MM-DD or YYYY-MM. */
  published: string;
  /** May hold several, separated by spaces. */
  doi: string | null;
}

/** Further authors become "and others". */
const MAX_AUTHORS = 100;
const MAX_KEY_PART = 30;
const STOP_WORDS = new Set(
  `a an and are as at be beyond by can do does for from how if in into is it its not of on or our the
  their these this to toward towards under using via we what whats when where which who why with
  without your`.split(/\s+/),
);

/** A UTF-8 entry for BibTeX and biblatex; its fields typeset as the arXiv record reads. */
export function toBibtex(paper: CitedPaper): string {
  const names = paper.authors.map(oneLine).filter((name) => name !== '');
  const authors = names.slice(0, MAX_AUTHORS).map(nameToBibtex);
  if (names.length > MAX_AUTHORS) authors.push('others');
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['title', titleToBibtex(oneLine(paper.title))],
    ['author', authors.length === 0 ? undefined : authors.join(' and ')],
    ['year', paper.published.slice(0, 4)],
    ['eprint', arxivIdOf(paper.sourceId)],
    ['archivePrefix', 'arXiv'],
    ['primaryClass', paper.categories[0]],
    ['doi', plainDoi(paper.doi)],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name} = {${value}}`],
  );
  return `@misc{${keyOf(paper)},\n${lines.join(',\n')}\n}`;
}

/**
 * Surname, year and first significant word of the title, in lower-case ASCII. The year is the id's,
 * so that the key is stable when the publication date becomes known.
 */
function keyOf({ authors, sourceId, title }: CitedPaper): string {
  const surname = asciiOf(surnameOf(authors[0] ?? '')).replace(/[^a-z0-9]/g, '');
  const words = asciiOf(plainTex(title)).match(/[a-z0-9]*[a-z][a-z0-9]*/g) ?? [];
  const word = words.find((each) => !STOP_WORDS.has(each)) ?? words[0] ?? '';
  // A name in a non-Latin script leaves no ASCII letters.
  const name = surname.slice(0, MAX_KEY_PART) || 'arxiv';
  return name + monthOf(sourceId).slice(0, 4) + word.slice(0, MAX_KEY_PART);
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function asciiOf(text: string): string {
  return toAscii(text.replace(/['’]/gu, ''));
}

/** The first DOI that needs no escaping, since styles use the field verbatim for a link. */
function plainDoi(doi: string | null): string | undefined {
  return doi?.split(/\s+/).find((each) => /^10\.\d{4,9}\/[^\s{}\\%^]+$/.test(each));
}
