import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { sourceIdOf } from '../../src/areas/papers/arxiv/ids.ts';
import {
  cardText,
  DIGEST_MARK,
  joinSentences,
  splitSentences,
} from '../../src/areas/papers/digest.ts';
import type { Paper } from './insert-papers.ts';

/** The headings that notes on a paper may have, in order. */
const SECTION_TITLES = ['Question', 'Method', 'Data', 'Findings', 'Limits'] as const;

interface StarterSection {
  title: string;
  content: string;
}

/** The content of one file in `data/starter/papers`. */
export interface StarterPaper extends z.output<typeof frontMatter> {
  /** Two or three sentences of ours that replace the abstract. */
  digest: string;
  sections: readonly StarterSection[];
}

const frontMatter = z.strictObject({
  /** arXiv id without version. */
  id: z.string().regex(/^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?\/\d{7})$/),
  version: z.int().positive().optional(),
  title: z.string().min(1),
  authors: z.array(z.string().min(1)).min(1),
  /** arXiv categories, the primary one first. */
  categories: z.array(z.string().min(1)).min(1),
  published: z.iso.date(),
  pdfUrl: z.url({ protocol: /^https$/, hostname: /^arxiv\.org$/ }),
  tags: z.array(z.string().min(1)).min(2).max(5),
});

const FILE = /^---\n([\s\S]+?)\n---\n([\s\S]+)$/;
const DIGEST = 'Digest: ';

function parseSections(parts: readonly string[]): StarterSection[] {
  const titles: readonly string[] = SECTION_TITLES;
  let last = -1;
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const title = end < 0 ? part : part.slice(0, end);
    const content = end < 0 ? '' : part.slice(end).trim();
    const position = titles.indexOf(title);
    if (position <= last) throw new Error(`section "${title}" is unknown, repeated or misplaced`);
    if (content === '') throw new Error(`section "${title}" is empty`);
    last = position;
    return { title, content };
  });
}

function parseStarterPaper(text: string): StarterPaper {
  const [, head, body] = FILE.exec(text) ?? [];
  if (head === undefined || body === undefined) throw new Error('no front matter');
  const { pdf_url: pdfUrl, ...facts } = parse(head);
  const [first = '', ...rest] = `\n${body}`.split('\n## ');
  const opening = first.trim();
  if (!opening.startsWith(DIGEST)) throw new Error(`the text does not begin with "${DIGEST}"`);
  const digest = opening.slice(DIGEST.length).trim();
  if (digest === '' || digest.includes('\n')) throw new Error('the digest is not one paragraph');
  const sections = parseSections(rest);
  if (sections.length < 3) throw new Error('fewer than three sections');
  return { ...frontMatter.parse({ ...facts, pdfUrl }), digest, sections };
}

/** Reads all `.md` files of `dir`, sorted by id. Throws an Error that names a faulty file. */
export function readStarterPapers(dir: string): StarterPaper[] {
  const papers = readdirSync(dir)
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      try {
        const paper = parseStarterPaper(readFileSync(join(dir, file), 'utf8'));
        // An old-style id contains a slash.
        const expected = `${paper.id.replace('/', '-')}.md`;
        if (file !== expected) throw new Error(`by its id, the file must be named ${expected}`);
        return paper;
      } catch (cause) {
        throw new Error(`${file}: ${cause}`, { cause });
      }
    });
  return papers.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Minimum characters of the findings for a summary to quote them. */
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
    text: joinSentences([paper.title, section.title, section.content]),
  }));
  const { title, digest, tags } = paper;
  const card = cardText({ title, abstract: digest, summary: '', tags });
  return [{ key: `paper:${paper.id}`, text: card }, ...sections];
}

/** A bundled paper ready to store; `vector` looks up a committed vector. */
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

/** The paper's question and the start of its findings, from our notes; the digest is the abstract. */
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
