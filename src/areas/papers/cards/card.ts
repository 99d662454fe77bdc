import * as z from 'zod';
import { known } from '../../../core/envelope.ts';
import { toBibtex } from '../bibtex.ts';
import type { ManifestRow, PaperRow } from '../queries.ts';

const manifestEntry = z.object({
  section_key: z.string().describe('Key for `sections` of paper_read.'),
  section_type: z.string().describe('Kind of section, such as introduction or references.'),
  title: z.string().describe('Its heading.'),
  char_count: z.number().describe('Characters in the section.'),
  section_order: z.number().describe('Its place in the paper.'),
});

export const paperCard = z.object({
  paperCardId: z.string().describe('Stable id, for paper_read.'),
  sourcePaperId: z.string().describe('Id in the source, such as arxiv:1404.4944.'),
  title: z.string().describe('Title of the paper.'),
  authors: z.array(z.string()).describe('Names, in the order of the paper.'),
  abstract: z.string().describe('Original abstract, or a digest marked as one.'),
  summary: z
    .string()
    .describe('Two or three sentences of the abstract; beside a digest, of our notes on it.'),
  tags: z.array(z.string()).describe('Research topics from a fixed list.'),
  availableSections: z.array(manifestEntry).describe('The sections that can be read.'),
  sectionCount: z.number().describe('Number of sections.'),
  fullTextCharCount: z.number().describe('Characters in all of them.'),
  pdfUrl: z.string().describe('URL of the PDF.'),
  published: z.string().describe('Day of the first version; YYYY-MM until it is known.'),
  primaryCategory: z.string().optional().describe('Such as q-fin.PM.'),
  version: z.number().optional().describe('Version of the paper that this card describes.'),
});

export const paperReading = paperCard.extend({
  bibtex: z.string().describe('BibTeX entry.'),
  updated: z.string().optional().describe('Day of the current version.'),
  categories: z.array(z.string()).optional().describe('arXiv categories, the primary one first.'),
  licenseUrl: z.string().optional().describe('Licence of the text.'),
  doi: z.string().optional().describe('DOI of the published paper.'),
  journalRef: z.string().optional().describe('Where it was published.'),
  comment: z.string().optional().describe('Comment by the authors.'),
  // Last: a host that shortens a long reply then keeps everything else.
  sections: z
    .array(manifestEntry.extend({ content: z.string().describe('Markdown.') }))
    .describe('The sections asked for, in the order of the paper.'),
});

export function toManifestEntry(section: ManifestRow): z.output<typeof manifestEntry> {
  return {
    section_key: section.key,
    section_type: section.type,
    title: section.title,
    char_count: section.charCount,
    section_order: section.order,
  };
}

export function toCard(
  paper: PaperRow,
  manifest: readonly ManifestRow[],
): z.output<typeof paperCard> {
  const [primaryCategory] = paper.categories;
  return {
    paperCardId: paper.cardId,
    sourcePaperId: paper.sourceId,
    title: paper.title,
    authors: paper.authors,
    abstract: paper.abstract,
    summary: paper.summary,
    tags: paper.tags,
    availableSections: manifest.map(toManifestEntry),
    sectionCount: manifest.length,
    fullTextCharCount: manifest.reduce((sum, section) => sum + section.charCount, 0),
    pdfUrl: paper.pdfUrl,
    published: paper.published,
    ...(primaryCategory === undefined ? {} : { primaryCategory }),
    ...known({ version: paper.version }),
  };
}

/** The fields of a reading beyond the card; unknown ones are omitted. */
export function toDetails(paper: PaperRow) {
  const { updated, licenseUrl, doi, journalRef, comment } = paper;
  return {
    bibtex: toBibtex(paper),
    categories: paper.categories,
    ...known({ updated, licenseUrl, doi, journalRef, comment }),
  };
}
