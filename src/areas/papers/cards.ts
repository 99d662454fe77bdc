import * as z from 'zod';
import type { ManifestRow, PaperRow } from './queries.ts';

const manifestEntry = z.object({
  section_key: z.string(),
  section_type: z.string(),
  title: z.string(),
  char_count: z.number(),
  section_order: z.number(),
});

export const paperCard = z.object({
  paperCardId: z.string(),
  sourcePaperId: z.string(),
  title: z.string(),
  authors: z.array(z.string()),
  abstract: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  availableSections: z.array(manifestEntry),
  sectionCount: z.number(),
  fullTextCharCount: z.number(),
  pdfUrl: z.string(),
});

export const paperReading = paperCard.extend({
  sections: z.array(manifestEntry.extend({ content: z.string() })),
  version: z.number().optional(),
  published: z.string().optional(),
  updated: z.string().optional(),
  categories: z.array(z.string()).optional(),
  licenseUrl: z.string().optional(),
  doi: z.string().optional(),
  journalRef: z.string().optional(),
  comment: z.string().optional(),
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
  };
}

/** What is known of the paper beyond its card; nothing where it is not known. */
export function toDetails(paper: PaperRow) {
  const { version, published, updated, licenseUrl, doi, journalRef, comment } = paper;
  return {
    ...(version === null ? {} : { version }),
    ...(published === null ? {} : { published }),
    ...(updated === null ? {} : { updated }),
    categories: paper.categories,
    ...(licenseUrl === null ? {} : { licenseUrl }),
    ...(doi === null ? {} : { doi }),
    ...(journalRef === null ? {} : { journalRef }),
    ...(comment === null ? {} : { comment }),
  };
}
