import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { withoutNulls } from '../../core/envelope.ts';
import type { ReplySize } from '../../core/reply.ts';
import { cut } from '../../core/text.ts';
import { toBibtex } from './bibtex.ts';
import type { ManifestRow, PaperRow } from './queries.ts';

const manifestEntry = z.object({
  section_key: z.string().describe('Key for `sections` of paper_read.'),
  section_type: z.string().describe('Kind of section, such as introduction or references.'),
  title: z.string().describe('Heading of the section.'),
  char_count: z.number().describe('Characters in the section.'),
  section_order: z.number().describe('Position in the paper.'),
});

export const paperCard = z.object({
  paperCardId: z.string().describe('Stable id, for paper_read.'),
  sourcePaperId: z.string().describe('Id at the source, such as arxiv:1404.4944.'),
  title: z.string().describe('Title of the paper.'),
  authors: z.array(z.string()).describe("Author names, in the paper's order."),
  abstract: z.string().describe('Original abstract, or a digest marked as one.'),
  summary: z
    .string()
    .describe('Key sentences from the abstract, or from our notes if the abstract is a digest.'),
  tags: z.array(z.string()).describe('Research topics from a fixed list.'),
  availableSections: z.array(manifestEntry).describe('The sections that can be read.'),
  sectionCount: z.number().describe('Number of sections.'),
  fullTextCharCount: z.number().describe('Characters in all sections.'),
  pdfUrl: z.string().describe('URL of the PDF.'),
  published: z
    .string()
    .optional()
    .describe('Day of the first version; YYYY-MM or YYYY if no more is known.'),
  origin: z.literal('own').optional().describe("own: a private file of the user's."),
  primaryCategory: z.string().optional().describe('Primary arXiv category, such as q-fin.PM.'),
  version: z.number().optional().describe('Version of the paper that this card describes.'),
  updated: z.string().optional().describe('Day of the current version.'),
});

export const paperReading = paperCard.extend({
  bibtex: z.string().describe('BibTeX entry.'),
  categories: z.array(z.string()).optional().describe('arXiv categories, the primary one first.'),
  licenseUrl: z.string().optional().describe('URL of the licence.'),
  doi: z.string().optional().describe('DOI of the published paper.'),
  journalRef: z.string().optional().describe('Journal or other place of publication.'),
  comment: z.string().optional().describe('Comment by the authors.'),
  // Keep this field last: a host that truncates a long reply then keeps all others.
  sections: z
    .array(manifestEntry.extend({ content: z.string().describe('Markdown.') }))
    .describe("The requested sections, in the paper's order."),
});

export function toCard(
  paper: PaperRow,
  manifest: readonly ManifestRow[],
  { policy }: Pick<Context, 'policy'>,
): z.output<typeof paperCard> {
  const [primaryCategory] = paper.categories;
  const isOwn = paper.origin === 'own';
  return {
    paperCardId: paper.cardId,
    sourcePaperId: paper.sourceId,
    title: paper.title,
    authors: paper.authors,
    abstract: paper.abstract,
    summary: paper.summary,
    tags: paper.tags,
    availableSections: [...manifest],
    sectionCount: manifest.length,
    fullTextCharCount: manifest.reduce((sum, section) => sum + section.char_count, 0),
    pdfUrl: isOwn && policy !== 'personal' ? '' : paper.pdfUrl,
    ...(paper.published === '' ? {} : { published: paper.published }),
    ...(isOwn ? { origin: 'own' as const } : {}),
    ...(primaryCategory === undefined ? {} : { primaryCategory }),
    ...withoutNulls({ version: paper.version, updated: paper.updated }),
  };
}

/** The metadata that a reading adds to the card, without unknown fields. */
export function toDetails(paper: PaperRow) {
  const { licenseUrl, doi, journalRef, comment } = paper;
  return {
    bibtex: toBibtex(paper),
    categories: paper.categories,
    ...withoutNulls({ licenseUrl, doi, journalRef, comment }),
  };
}

/** The leading items whose JSON fits into `limit` characters. */
function firstFitting<T>(items: readonly T[], limit: number): T[] {
  let left = limit;
  return items.filter((item) => {
    left -= JSON.stringify(item).length + 1;
    return left >= 0;
  });
}

/** The card with the leading sections that fit into half a reply; only books have more. */
export function shortenManifest<C extends z.output<typeof paperCard>>(
  card: C,
  { paper }: ReplySize,
): C {
  return { ...card, availableSections: firstFitting(card.availableSections, paper / 2) };
}

/**
 * The reading with the sections that fit. If none does and they were requested by key (`areNamed`),
 * keeps the first, cut to the size of an event.
 */
export function fitSections<R extends z.output<typeof paperReading>>(
  reading: R,
  { paper: limit }: ReplySize,
  areNamed: boolean,
): R {
  const { sections } = reading;
  let left = limit - JSON.stringify({ ...reading, sections: [] }).length;
  const fitting = sections.filter((section) => {
    const length = JSON.stringify(section).length + 1;
    if (length > left) return false;
    left -= length;
    return true;
  });
  if (fitting.length > 0 || !areNamed) return { ...reading, sections: fitting };
  const first = sections.slice(0, 1);
  const shortened = first.map((one) => ({ ...one, content: cutToEvent(one.content) }));
  return { ...reading, sections: shortened };
}

/** Maximum bytes of a section in a server-sent event: Python clients reject events over 1 MiB. */
const MAX_EVENT = 1_000_000;

/** Shortens a text to fit an event, which contains it twice: as JSON and as JSON in a string. */
function cutToEvent(content: string): string {
  const json = JSON.stringify(content);
  const bytes = Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json));
  if (bytes <= MAX_EVENT) return content;
  return cutToEvent(cut(content, Math.floor((0.95 * content.length * MAX_EVENT) / bytes)));
}

const matchScore = z.number().min(0).max(1).describe('Higher is closer.');

/** The part of `meta` that rates each card of a search. */
export const cardMatches = z.object({
  matches: z
    .array(
      z.object({
        paperCardId: z.string().describe('Id of a card in `data`.'),
        score: matchScore,
        sections: z
          .array(
            z.object({
              section_key: z.string().describe('Key to pass to paper_read.'),
              score: matchScore,
            }),
          )
          .describe('The sections that match best, without their text.'),
      }),
    )
    .describe('One entry per card.'),
});

export interface Hit {
  card: z.output<typeof paperCard>;
  match: z.output<typeof cardMatches>['matches'][number];
}

/** The leading hits that fit into `limit` characters, but at least one. */
export function fitHits(hits: readonly Hit[], limit: number): readonly Hit[] {
  const fitting = firstFitting(hits, limit);
  return fitting.length === 0 ? hits.slice(0, 1) : fitting;
}
