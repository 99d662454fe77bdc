import * as z from 'zod';
import { noticeOf, roundScore } from '../../core/answer.ts';
import type { Context } from '../../core/context.ts';
import { invalidRequest, notFound, ServiceError } from '../../core/errors.ts';
import { text } from '../../core/fields.ts';
import { type CardMatch, defineOperation } from '../../core/operation.ts';
import { judgeMatch } from '../../store/verdict.ts';
import { cardIdOf, sourceIdOf } from './ids.ts';
import {
  findPaperByCardId,
  getPaperById,
  listManifest,
  listSections,
  type ManifestRow,
  type PaperRow,
  rankSections,
  searchPapers,
  summarisePapers,
} from './queries.ts';

const MAX_CARDS = 10;
/** Sections named per card in `meta.matches`. */
const SECTIONS_PER_MATCH = 3;

const manifestEntry = z.object({
  section_key: z.string(),
  section_type: z.string(),
  title: z.string(),
  char_count: z.number(),
  section_order: z.number(),
});

const paperCard = z.object({
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

const paperReading = paperCard.extend({
  sections: z.array(manifestEntry.extend({ content: z.string() })),
});

export const paperSearch = defineOperation({
  name: 'paper_search',
  title: 'Search quantitative-finance papers',
  description:
    'Finds quantitative-finance papers by meaning and returns ranked cards: metadata, abstract, summary, tags and a list of sections with their sizes, without full text. ' +
    'meta.verdict says whether the match is strong, weak or none; meta.matches names the sections that answer best. Read a paper with paper_read. Not for data series or market odds.',
  area: 'papers',
  price: 1,
  method: 'POST',
  path: '/api/paper/search',
  ranks: true,
  input: z.object({
    query: text(2000, 'What you want to know, in plain words.'),
    // Not z.int(): that refuses what is too large to be exact, and too large is clamped here.
    topK: z
      .number()
      .min(1)
      .refine(Number.isInteger, { error: 'must be a whole number of at least 1' })
      .default(5)
      .meta({
        type: 'integer',
        description: `Number of cards, 1-${MAX_CARDS}; more counts as ${MAX_CARDS}.`,
      }),
  }),
  output: z.array(paperCard),
  example: { query: 'how to hedge options when volatility is rough', topK: 3 },
  async handler({ query, topK }, context) {
    const embedding = await context.embedQuery(query);
    const vector = 'vector' in embedding ? embedding.vector : null;
    const hits = searchPapers(context.db, query, vector, Math.min(topK, MAX_CARDS));
    const found = hits.flatMap((hit) => {
      const paper = getPaperById(context.db, hit.id);
      return paper === undefined ? [] : [{ hit, paper }];
    });
    const papers = found.map(({ paper }) => paper);
    return {
      data: papers.map((paper) => toCard(paper, listManifest(context.db, paper.id))),
      meta: {
        ...freshness(context, papers),
        verdict: judgeMatch(hits, vector !== null),
        matches: found.map(({ hit, paper }) => toMatch(context, paper, hit.score, vector)),
        ...noticeOf([
          'unavailable' in embedding ? embedding.unavailable : '',
          papers.length === 0 ? 'No paper on this shelf matches.' : '',
          papers.some((paper) => paper.origin === 'starter') ? STARTER_NOTICE : '',
        ]),
      },
    };
  },
});

export const paperRead = defineOperation({
  name: 'paper_read',
  title: 'Read sections of a paper',
  description:
    'Returns chosen sections of one paper as Markdown, in order. Call paper_search first: its cards carry the paperCardId and, in availableSections, each section_key with its char_count. ' +
    'Ask only for the sections you need; a whole paper can be long.',
  area: 'papers',
  price: 0,
  method: 'POST',
  path: '/api/paper/read',
  longReplies: true,
  input: z.object({
    paperCardId: text(200, 'paperCardId of a card from paper_search.'),
    sections: z
      .array(z.string())
      .default(['all'])
      .meta({ description: 'section_key values of that card, or "all".' }),
  }),
  output: paperReading,
  example: { paperCardId: cardIdOf(sourceIdOf('2510.23150')), sections: ['abstract'] },
  async handler({ paperCardId, sections }, context) {
    const paper = findPaperByCardId(context.db, paperCardId.trim().toLowerCase());
    if (paper === undefined) {
      throw notFound(
        'No paper has this paperCardId. Take one from a card of paper_search.',
        'paperCardId',
      );
    }
    const held = listSections(context.db, paper.id);
    const wanted = chooseSections(sections, held);
    return {
      data: {
        ...toCard(paper, held),
        sections: held
          .filter((section) => wanted.has(section.key))
          .map((section) => ({
            ...toManifestEntry(section),
            content: section.content,
          })),
      },
      meta: {
        asOf: paper.asOf,
        ...noticeOf([paper.origin === 'starter' ? READ_STARTER_NOTICE : '']),
      },
    };
  },
});

const STARTER_NOTICE =
  'Answered from the starter shelf: a small selection of papers with digests by QuantShelf instead of abstracts.';
const READ_STARTER_NOTICE =
  'Full text not held: these sections are a digest and reading note by QuantShelf; the paper itself is at pdfUrl.';

/** An answer is as old as its oldest card; an empty one as the newest the shelf holds. */
function freshness(context: Context, papers: readonly PaperRow[]): { asOf: string } {
  const dates = papers.map((paper) => paper.asOf).sort();
  const asOf = dates[0] ?? summarisePapers(context.db).asOf;
  if (asOf === null) {
    throw new ServiceError(
      'service_unavailable',
      'The shelf holds no papers. Run `quantshelf doctor` to see why.',
    );
  }
  return { asOf };
}

/** Keys asked for, or all of them; throws `invalid_request` that lists the valid keys. */
function chooseSections(asked: readonly string[], held: readonly ManifestRow[]): Set<string> {
  const keys = held.map((section) => section.key);
  if (asked.length === 0 || asked.includes('all')) return new Set(keys);
  if (asked.some((key) => !keys.includes(key))) {
    throw invalidRequest(
      `This paper has no such section. Its section keys are: ${keys.join(', ')}; or "all".`,
      'sections',
    );
  }
  return new Set(asked);
}

function toManifestEntry(section: ManifestRow): z.output<typeof manifestEntry> {
  return {
    section_key: section.key,
    section_type: section.type,
    title: section.title,
    char_count: section.charCount,
    section_order: section.order,
  };
}

function toCard(paper: PaperRow, manifest: readonly ManifestRow[]): z.output<typeof paperCard> {
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

function toMatch(
  context: Context,
  paper: PaperRow,
  score: number,
  vector: Float32Array | null,
): CardMatch {
  const sections =
    vector === null ? [] : rankSections(context.db, paper.id, vector, SECTIONS_PER_MATCH);
  return {
    paperCardId: paper.cardId,
    score: roundScore(score),
    sections: sections.map((section) => ({
      section_key: section.key,
      score: roundScore(Math.max(0, section.score)),
    })),
  };
}
