import { sourceIdOf } from '../../src/areas/papers/cards/ids.ts';
import { cardText, sectionText } from '../../src/areas/papers/digest/texts.ts';
import type { Paper } from './insert-papers.ts';
import type { StarterPaper } from './papers.ts';

/** Prefix of a starter card's abstract that marks it as ours. */
const DIGEST_MARK = 'Digest by QuantShelf: ';

/** A text with a committed vector, and the key of that vector. */
export interface KeyedText {
  key: string;
  text: string;
}

/** The texts of a paper that have vectors: the card first, then its sections. */
export function paperTexts(paper: StarterPaper): KeyedText[] {
  const sections = sectionsOf(paper).map((section) => ({
    key: `paper:${paper.id}#${section.key}`,
    text: sectionText(paper.title, section.title, section.content),
  }));
  const { title, digest, tags } = paper;
  const card = cardText({ title, abstract: digest, summary: digest, tags });
  return [{ key: `paper:${paper.id}`, text: card }, ...sections];
}

/** A reviewed paper ready to store; `vector` looks up a committed vector. */
export function toPaper(
  paper: StarterPaper,
  asOf: string,
  vector: (key: string, text: string) => Float32Array,
): Paper {
  const [card, ...sectionVectors] = paperTexts(paper).map(({ key, text }) => vector(key, text));
  return {
    sourceId: sourceIdOf(paper.id),
    version: paper.version ?? null,
    title: paper.title,
    authors: paper.authors,
    abstract: DIGEST_MARK + paper.digest,
    summary: paper.digest,
    tags: paper.tags,
    categories: paper.categories,
    published: paper.published,
    licenseUrl: null,
    pdfUrl: paper.pdfUrl,
    origin: 'starter',
    asOf,
    sections: sectionsOf(paper).map((section, index) => ({
      ...section,
      vectors: sectionVectors.slice(index, index + 1),
    })),
    vector: card ?? null,
  };
}

function sectionsOf(paper: StarterPaper) {
  const abstract = {
    key: 'abstract',
    type: 'abstract',
    title: 'Abstract',
    content: DIGEST_MARK + paper.digest,
  };
  const notes = paper.sections.map(({ title, content }, index) => ({
    key: `s${String(index + 1).padStart(2, '0')}-${title.toLowerCase()}`,
    type: 'note',
    ours: true,
    title,
    content,
  }));
  return [abstract, ...notes];
}
