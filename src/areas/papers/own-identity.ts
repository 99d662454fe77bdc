import { basename } from 'node:path';
import { cut } from '../../core/text.ts';
import { cardIdOf, monthOf, sourceIdOf } from './arxiv/ids.ts';
import { readPaperId } from './find.ts';
import { type Front, lettersOf } from './full-text/sections/front.ts';
import type { TextSection } from './full-text/sections/sections.ts';
import { FIRST_PARAGRAPH } from './notices.ts';
import type { BibEntry } from './own-bibliography.ts';
import { authorKeys } from './restrictions.ts';
import { abstractSection, type PaperSection } from './stored-text.ts';

/** The paper in a file, as far as that is certain. */
export interface OwnPaper {
  cardId: string;
  /** `arxiv:…`, `doi:…` or `file:<sha256>`. */
  sourceId: string;
  title: string;
  authors: string[];
  /** As far as known: YYYY-MM-DD, YYYY-MM, YYYY or ''. */
  published: string;
  categories: string[];
  doi: string | null;
  journalRef: string | null;
  abstract: string;
  sections: PaperSection[];
}

const UNTITLED = 'Untitled document';
const MAX_ABSTRACT = 2_500;
/** A shorter paragraph is a line of the front matter. */
const LEAST_PARAGRAPH = 200;

/** Combines the facts from a document, its file name and the bibliography. */
export function identify(
  path: string,
  sha256: string,
  { front, sections }: { front: Front; sections: readonly TextSection[] },
  entry: BibEntry | undefined,
): OwnPaper {
  // arXiv names its files like 2401.00001v2.pdf.
  const fileName = basename(path).replace(/\.html?$/i, '.pdf');
  const arxivId = [front.arxivId, entry?.eprint, fileName, front.doi, entry?.doi]
    .map(arxivIdIn)
    .find((id) => id !== null);
  const doi = doiOf(front) ?? (entry === undefined ? null : doiOf(entry));
  const named = doi === null ? `file:${sha256}` : `doi:${doi}`;
  const sourceId = arxivId === undefined ? named : sourceIdOf(arxivId);
  const { abstract, heading } = abstractOf(sections, entry);
  const first = sections.find(({ key }) => key === 'abstract');
  return {
    cardId: cardIdOf(sourceId),
    sourceId,
    title: entry?.title ?? front.title ?? UNTITLED,
    authors: entry !== undefined && entry.authors.length > 0 ? entry.authors : front.authors,
    published: entry?.published || (arxivId === undefined ? (front.year ?? '') : monthOf(sourceId)),
    categories: front.category === null ? [] : [front.category],
    doi,
    journalRef: entry?.journalRef ?? null,
    abstract,
    sections: [
      { ...(first ?? abstractSection(abstract)), title: heading },
      ...sections.filter((section) => section !== first),
    ],
  };
}

function arxivIdIn(text: string | null | undefined): string | null {
  return readPaperId(text ?? '').arxivId;
}

/** A DOI of arXiv's is an arXiv id. */
export function doiOf({ doi }: Pick<BibEntry, 'doi'>): string | null {
  return arxivIdIn(doi) === null ? doi : null;
}

/** The abstract under its heading, from the bibliography, or the first full paragraph. */
function abstractOf(sections: readonly TextSection[], entry: BibEntry | undefined) {
  const named = sections.find(({ key }) => key === 'abstract');
  if (named !== undefined) return { abstract: plain(named.content), heading: named.title };
  if (entry?.abstract) return { abstract: cut(entry.abstract, MAX_ABSTRACT), heading: 'Abstract' };
  const paragraphs = sections
    .filter(({ type }) => type !== 'references' && type !== 'acknowledgements')
    .flatMap(({ content }) => content.split(/\n\s*\n/));
  const first = paragraphs.find((text) => text.length >= LEAST_PARAGRAPH && !/^[#|]/.test(text));
  return { abstract: plain(first ?? paragraphs[0] ?? ''), heading: FIRST_PARAGRAPH };
}

/** Strips paragraphs of their Markdown. */
function plain(markdown: string): string {
  const text = markdown.replace(/^#+ .*$/gm, '').replace(/\\([^\w\s])/g, '$1');
  return cut(text.replace(/\s+/g, ' ').trim(), MAX_ABSTRACT);
}

type Known = Pick<OwnPaper, 'title' | 'authors'>;

/** Whether a card on the shelf is the same paper: its title, and an author in common. */
export function isSamePaper(card: Known, { title, authors }: Known): boolean {
  const keys = new Set(card.authors.flatMap(authorKeys));
  return (
    lettersOf(title) === lettersOf(card.title) &&
    authors.flatMap(authorKeys).some((key) => keys.has(key))
  );
}
