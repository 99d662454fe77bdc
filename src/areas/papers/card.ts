import * as z from 'zod';
import type { ReplySize } from '../../core/context.ts';
import { type CardMatch, known } from '../../core/envelope.ts';
import type { Answer, View } from '../../core/operation.ts';
import { firstFitting } from '../../core/view.ts';
import { toBibtex } from './bibtex.ts';
import type { ManifestRow, PaperRow } from './queries.ts';

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
    .describe('Two sentences of the abstract; beside a digest, of our notes on it.'),
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
    availableSections: [...manifest],
    sectionCount: manifest.length,
    fullTextCharCount: manifest.reduce((sum, section) => sum + section.char_count, 0),
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

type ManifestEntry = z.output<typeof manifestEntry>;

/** A manifest as a model needs it: the key holds the place and the title. */
function toBriefManifest(manifest: readonly ManifestEntry[]) {
  // The only section is as long as the card says of all of them.
  if (manifest.length === 1) return manifest.map(({ section_key }) => ({ section_key }));
  return manifest.map(({ section_key, section_type, char_count }) => ({
    section_key,
    ...(section_type === 'note' ? { section_type } : {}),
    char_count,
  }));
}

/** What a model reads of a search; `meta.matches` is in the order of the cards. */
export function viewOfSearch({ data, meta }: Answer<z.output<typeof paperCard>[]>): View {
  const { matches = [] } = meta;
  return {
    data: data.map(({ version: _, primaryCategory: __, availableSections, ...card }) => ({
      ...card,
      availableSections: toBriefManifest(availableSections),
    })),
    meta: {
      matches: matches.map(({ score, sections }) => ({
        score,
        ...(sections.length === 0 ? {} : { sections }),
      })),
    },
  };
}

/** Keys that a notice names. */
const MAX_NAMED = 20;

/** What a model reads of a paper: whole sections, as many as there is room for, and at least one. */
export function viewOfReading({ data }: Answer<z.output<typeof paperReading>>, room: number): View {
  const { availableSections, sections, ...card } = data;
  const brief = { ...card, availableSections: toBriefManifest(availableSections) };
  let left = room - JSON.stringify(brief).length;
  const fitting = sections.filter((section) => {
    const { length } = JSON.stringify(section);
    if (length > left) return false;
    left -= length;
    return true;
  });
  const shown = fitting.length === 0 ? sections.slice(0, 1) : fitting;
  const others = sections
    .filter((section) => !shown.includes(section))
    .map(({ section_key, char_count }) => `${section_key} (${char_count.toLocaleString('en-US')})`);
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : '';
  return {
    data: { ...brief, sections: shown },
    ...(others.length === 0
      ? {}
      : {
          told: `not in this text, ask for them by key: ${others.slice(0, MAX_NAMED).join(', ')}${more}.`,
        }),
  };
}

/** A card and what `meta.matches` says of it. */
export interface Hit {
  card: z.output<typeof paperCard>;
  match: CardMatch;
}

/** The first hits, as many as fit into a reply, and at least one. */
export function fitToSize(hits: readonly Hit[], reply: ReplySize): readonly Hit[] {
  return firstFitting(hits, (first) => {
    const matches = JSON.stringify(first.map(({ match }) => match)).length;
    return reply.lengthOf(first.map(({ card }) => card)) + matches <= reply.limit;
  });
}
