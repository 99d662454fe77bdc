import { basename } from 'node:path';
import { cut } from '../../core/text.ts';
import { cardIdOf, isArxivId, monthOf, sourceIdOf } from './arxiv/ids.ts';
import { type Front, lettersOf } from './full-text/sections/front.ts';
import type { TextSection } from './full-text/sections/sections.ts';
import { FIRST_PARAGRAPH } from './notices.ts';
import type { BibEntry } from './own-bibliography.ts';
import { abstractSection, type PaperSection } from './stored-text.ts';

/** Who a file is, as far as that is certain. */
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

export const UNTITLED = 'Untitled document';
const MAX_ABSTRACT = 2_500;
/** A shorter paragraph is a line of the front matter. */
const LEAST_PARAGRAPH = 200;

/** Puts together what a document, its name and the bibliography say. */
export function identify(
  path: string,
  sha256: string,
  { front, sections }: { front: Front; sections: readonly TextSection[] },
  entry: BibEntry | undefined,
): OwnPaper {
  const arxivId = [front.arxivId, entry?.eprint, idInName(path)]
    .map((id) => (id ?? '').replace(/v\d+$/, '').replace(/\.[A-Z]{2}\//, '/'))
    .find(isArxivId);
  const printed = front.doi ?? entry?.doi ?? null;
  const arxivDoi = /^10\.48550\/arxiv\.(.+)$/.exec(printed ?? '')?.[1];
  const id = arxivId ?? (arxivDoi !== undefined && isArxivId(arxivDoi) ? arxivDoi : null);
  const doi = arxivDoi === undefined ? printed : null;
  const sourceId = id !== null ? sourceIdOf(id) : doi !== null ? `doi:${doi}` : `file:${sha256}`;
  const { abstract, heading } = abstractOf(sections, entry);
  const first = sections.find(({ key }) => key === 'abstract');
  return {
    cardId: cardIdOf(sourceId),
    sourceId,
    title: entry?.title ?? front.title ?? UNTITLED,
    authors: entry !== undefined && entry.authors.length > 0 ? entry.authors : front.authors,
    published: entry?.published || (id === null ? (front.year ?? '') : monthOf(sourceId)),
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

/** A file that arXiv named, such as 2401.00001v2.pdf. */
function idInName(path: string): string {
  return /^(?:arxiv[-_ ]?)?(\d{4}\.\d{4,5})(?:v\d+)?\.\w+$/i.exec(basename(path))?.[1] ?? '';
}

/** From its heading, the bibliography, or the first paragraph that is one. */
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

/** Markdown of paragraphs as plain text. */
function plain(markdown: string): string {
  const text = markdown.replace(/^#+ .*$/gm, '').replace(/\\([^\w\s])/g, '$1');
  return cut(text.replace(/\s+/g, ' ').trim(), MAX_ABSTRACT);
}

/** Whether a card of the shelf is the same paper: the same title, and an author in common. */
export function isSamePaper(
  card: { title: string; authors: readonly string[] },
  { title, authors }: Pick<OwnPaper, 'title' | 'authors'>,
): boolean {
  const surnames = (names: readonly string[]) =>
    new Set(
      names.map((name) =>
        lettersOf(
          name
            .replace(/^([^,]+),.*/, '$1')
            .split(/\s+/)
            .at(-1) ?? '',
        ),
      ),
    );
  const theirs = surnames(card.authors);
  return (
    lettersOf(title) === lettersOf(card.title) &&
    [...surnames(authors)].some((one) => theirs.has(one))
  );
}
