import { sourceIdOf } from '../../src/areas/papers/arxiv/ids.ts';
import {
  cardText,
  DIGEST_MARK,
  sectionText,
  splitSentences,
} from '../../src/areas/papers/digest.ts';
import type { Paper } from './insert-papers.ts';
import type { StarterPaper } from './papers.ts';

/** Findings of which a summary quotes so many characters say something. */
const MIN_FINDINGS = 80;

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
  const card = cardText({ title, abstract: digest, summary: '', tags });
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
    summary: summaryOf(paper),
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

/** What the paper asks and the beginning of what it finds, by our notes: the digest is the abstract. */
export function summaryOf({ sections }: Pick<StarterPaper, 'sections'>): string {
  const noteOf = (title: string) => sections.find((note) => note.title === title)?.content ?? '';
  let findings = '';
  for (const sentence of splitSentences(noteOf('Findings'))) {
    if (findings.length < MIN_FINDINGS) findings += ` ${sentence}`;
  }
  return noteOf('Question') + findings;
}

function sectionsOf(paper: StarterPaper) {
  const abstract = {
    key: 'abstract',
    type: 'abstract',
    title: 'Digest of the abstract by QuantShelf',
    content: paper.digest,
  };
  const notes = paper.sections.map(({ title, content }, index) => ({
    key: `s${String(index + 1).padStart(2, '0')}-${title.toLowerCase()}`,
    type: 'note',
    title,
    content,
  }));
  return [abstract, ...notes];
}
