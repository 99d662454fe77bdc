import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

/** The headings that starter notes may have, in order. */
export const SECTION_TITLES = ['Question', 'Method', 'Data', 'Findings', 'Limits'] as const;

export interface StarterSection {
  readonly title: string;
  readonly content: string;
}

/** One reviewed file of `data/starter/papers`. */
export interface StarterPaper {
  /** arXiv id without version. */
  readonly id: string;
  readonly version: number | undefined;
  readonly title: string;
  readonly authors: readonly string[];
  /** arXiv codes, the primary one first. */
  readonly categories: readonly string[];
  /** YYYY-MM-DD. */
  readonly published: string;
  readonly pdfUrl: string;
  readonly tags: readonly string[];
  /** Two or three sentences of our own, instead of the abstract. */
  readonly digest: string;
  readonly sections: readonly StarterSection[];
}

const frontMatter = z.strictObject({
  id: z.string().regex(/^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?\/\d{7})$/),
  version: z.int().positive().optional(),
  title: z.string().min(1),
  authors: z.array(z.string().min(1)).min(1),
  categories: z.array(z.string().min(1)).min(1),
  published: z.iso.date(),
  pdf_url: z.url({ protocol: /^https$/, hostname: /^arxiv\.org$/ }),
  tags: z.array(z.string().min(1)).min(2).max(5),
});

const FILE = /^---\n([\s\S]+?)\n---\n([\s\S]+)$/;
const DIGEST = 'Digest: ';

function parseSections(parts: readonly string[]): StarterSection[] {
  const known: readonly string[] = SECTION_TITLES;
  let last = -1;
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const title = end < 0 ? part : part.slice(0, end);
    const content = end < 0 ? '' : part.slice(end).trim();
    const position = known.indexOf(title);
    if (position <= last) throw new Error(`section "${title}" is unknown, repeated or misplaced`);
    if (content === '') throw new Error(`section "${title}" is empty`);
    last = position;
    return { title, content };
  });
}

function parseStarterPaper(text: string): StarterPaper {
  const [, head, body] = FILE.exec(text) ?? [];
  if (head === undefined || body === undefined) throw new Error('no front matter');
  const facts = frontMatter.parse(parse(head));
  const [first = '', ...rest] = `\n${body}`.split('\n## ');
  const opening = first.trim();
  if (!opening.startsWith(DIGEST)) throw new Error(`the text does not begin with "${DIGEST}"`);
  const digest = opening.slice(DIGEST.length).trim();
  if (digest === '' || digest.includes('\n')) throw new Error('the digest is not one paragraph');
  const sections = parseSections(rest);
  if (sections.length < 3) throw new Error('fewer than three sections');
  return {
    id: facts.id,
    version: facts.version,
    title: facts.title,
    authors: facts.authors,
    categories: facts.categories,
    published: facts.published,
    pdfUrl: facts.pdf_url,
    tags: facts.tags,
    digest,
    sections,
  };
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
      } catch (error) {
        const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
        throw new Error(`${file}: ${reason}`, { cause: error });
      }
    });
  return papers.sort((a, b) => (a.id < b.id ? -1 : 1));
}
