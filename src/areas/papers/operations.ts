import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { noticeOf, roundScore, withoutNulls } from '../../core/envelope.ts';
import { invalidRequest, serviceUnavailable } from '../../core/errors.ts';
import { text } from '../../core/fields.ts';
import { defineOperation } from '../../core/operation.ts';
import { cardIdOf, sourceIdOf } from './arxiv/ids.ts';
import {
  cardMatches,
  fitHits,
  fitSections,
  type Hit,
  paperCard,
  paperReading,
  shortenManifest,
  toCard,
  toDetails,
} from './card.ts';
import { expectReadable, findPapers, readPaperId } from './find.ts';
import {
  describeManifests,
  describeOthers,
  describeReading,
  describeSearch,
  describeStarter,
  describeUnheld,
  REPLACED,
} from './notices.ts';
import {
  findHarvest,
  findPaperByCardId,
  listManifest,
  listSections,
  type PaperRow,
  rankSections,
  summarisePapers,
} from './queries.ts';
import { areAmong, asksForAll, chooseSections, isGated, servedBy } from './reading.ts';

const MAX_CARDS = 10;
const SECTIONS_PER_MATCH = 3;

export const paperSearch = defineOperation({
  name: 'paper_search',
  title: 'Search quantitative-finance papers',
  description:
    'Searches research papers on quantitative finance: arXiv preprints, academic studies and literature on trading strategies, portfolios, options, volatility, risk. ' +
    'Give the subject in English, as keywords or one sentence, without courtesies; filter with author:cont, since:2024-05, until:2025, year:2024, cat:q-fin.PR, source:own, -word or -"two words". ' +
    'Returns ranked cards with abstract, summary, tags and sections. meta.verdict rates the match as strong, weak or none; meta.matches names the best sections for paper_read. Not for figures or odds.',
  searchHint:
    'arXiv preprints, research literature, academic papers and studies, citations, quantitative finance, trading strategies, portfolio, options, volatility',
  area: 'papers',
  price: 1,
  method: 'POST',
  path: '/api/paper/search',
  ranks: true,
  meta: cardMatches,
  input: z.object({
    query: text(2000, 'What you want to know, in plain words.'),
    // Not z.int(): it rejects integers beyond the safe range, which should be clamped.
    topK: z
      .number()
      .min(1)
      .refine(Number.isInteger, { error: 'must be a whole number of at least 1' })
      .meta({
        type: 'integer',
        description: `Maximum number of cards: 1 to ${MAX_CARDS} (more counts as ${MAX_CARDS}), default 5.`,
      })
      .default(5),
  }),
  output: z.array(paperCard),
  example: { query: 'how to hedge options when volatility is rough', topK: 3 },
  view: 'papers',
  async handler({ query, topK }, context) {
    const result = await findPapers(context, query, Math.min(topK, MAX_CARDS));
    const { verdict, holding, understood, notices, vector } = result;
    const hits: Hit[] = [];
    for (const { paper, score } of result.papers) {
      const served = listManifest(context.db, paper.textId).filter(servedBy(paper, context));
      const keys = new Set(served.map(({ section_key }) => section_key));
      const ranked = vector === null ? [] : rankSections(context.db, paper.textId, vector);
      const sections = ranked
        .filter(({ key }) => keys.has(key))
        .slice(0, SECTIONS_PER_MATCH)
        .map(({ key, score }) => ({ section_key: key, score: roundScore(Math.max(0, score)) }));
      const match = { paperCardId: paper.cardId, score: roundScore(score), sections };
      hits.push({
        card: shortenManifest(toCard(paper, served, context), context.replySize),
        match,
      });
      // Let other calls run: ranking the sections of a book takes milliseconds.
      await yieldToEventLoop();
    }
    const overhead = JSON.stringify([understood, notices]).length;
    const fitting = fitHits(hits, context.replySize.list - overhead);
    const papers = result.papers.slice(0, fitting.length).map(({ paper }) => paper);
    return {
      data: fitting.map(({ card }) => card),
      meta: {
        ...freshness(context, papers),
        verdict,
        ...withoutNulls({ holding }),
        ...(understood.length > 0 ? { understood } : {}),
        matches: fitting.map(({ match }) => match),
        ...noticeOf([
          describeSearch(papers, hits.length),
          ...notices,
          describeManifests(fitting.map(({ card }) => card)),
          context.isFirst('starter papers') ? describeStarter(papers, context.isOffline) : '',
        ]),
      },
    };
  },
});

export const paperRead = defineOperation({
  name: 'paper_read',
  title: 'Read sections of a paper',
  description:
    'Reads one paper or preprint from arXiv: abstract, full text or chosen sections (methods, results, conclusion), and its BibTeX entry for citations. ' +
    'Take the paperCardId from paper_search, or use any arXiv id; availableSections lists each section_key with its char_count. ' +
    'Request the sections that you need by key: "all" returns what fits and names the rest. The first read fetches the full text from arXiv, which takes a few seconds; "abstract" returns at once.',
  searchHint: 'read arXiv paper or preprint, full text, section, abstract, citations, BibTeX',
  area: 'papers',
  price: 0,
  method: 'POST',
  path: '/api/paper/read',
  fetches: true,
  // Allows for one long section requested by key.
  longReply: 500_000,
  input: z.object({
    paperCardId: text(200, 'paperCardId of a card from paper_search, or any arXiv id.'),
    sections: z
      .array(z.string())
      .default(['all'])
      .meta({ description: 'section_key values of that card, or "all" (default).' }),
  }),
  output: paperReading,
  example: { paperCardId: cardIdOf(sourceIdOf('2510.23150')), sections: ['abstract'] },
  view: 'papers',
  async handler({ paperCardId, sections }, context) {
    const { cardId, arxivId, version } = readPaperId(paperCardId);
    const { db, report, signal } = context;
    const added =
      findPaperByCardId(db, cardId) === undefined && arxivId !== null
        ? await context.addPaper(arxivId, report, signal)
        : null;
    const why = describeUnheld(paperCardId, added);
    if (added === 'unreachable') throw serviceUnavailable(why);
    const stored = expectReadable(db, cardId, why, 'paperCardId');
    const before = listSections(db, stored.textId);
    const isOther = version !== null && version !== stored.version;
    const wait = isOther || !areAmong(sections, before);
    // The text of the user's own file is never fetched.
    const freshened =
      stored.textId < 0 ? 'settled' : await context.freshenPaper(cardId, wait, report, signal);
    const paper = expectReadable(db, cardId, why, 'paperCardId');
    if (version !== null && version !== (paper.version ?? version)) {
      throw invalidRequest(
        `paper_read serves only the current version of a paper: omit "v${version}". The reply says which version it is.`,
        'paperCardId',
      );
    }
    const after = listSections(db, paper.textId);
    // A text that arrived during the call may lack the requested sections.
    const isGone = !wait && !areAmong(sections, after);
    const available = after.filter(servedBy(paper, context));
    const served = isGone ? before.filter(servedBy(stored, context)) : available;
    const manifest = available.map(({ content: _, ...entry }) => entry);
    const card = shortenManifest(toCard(paper, manifest, context), context.replySize);
    const gated = isGated(paper, context);
    const isStored = paper.textFormat !== null;
    const chosen = chooseSections(sections, served, { isStored, isGated: gated });
    const reading = { ...card, sections: chosen, ...toDetails(paper) };
    const data = fitSections(reading, context.replySize, !asksForAll(sections));
    return {
      data,
      meta: {
        asOf: paper.asOf,
        ...noticeOf([
          ...(isGone ? [REPLACED] : describeReading(paper, freshened, gated, available)),
          ...describeOthers(chosen, data.sections),
          describeManifests([data]),
        ]),
      },
    };
  },
});

/** The `asOf` of a search: that of its oldest card or, without cards, the latest on the shelf. */
function freshness({ db }: Context, papers: readonly PaperRow[]): { asOf: string } {
  const { finishedAt = null, coveredFrom = null } = findHarvest(db, 'q-fin') ?? {};
  const dates = papers.map(({ origin, categories, asOf }) => {
    // A finished harvest of q-fin confirms the papers that it did not return.
    const isHarvested = origin === 'arxiv' && categories.some((name) => name.startsWith('q-fin'));
    const isConfirmed = isHarvested && coveredFrom !== null && coveredFrom <= asOf;
    return isConfirmed && finishedAt !== null && finishedAt > asOf ? finishedAt : asOf;
  });
  const asOf = dates.sort()[0] ?? summarisePapers(db).asOf;
  if (asOf === null) {
    throw serviceUnavailable(
      'There are no papers on this shelf. Run `quantshelf doctor` to find out why.',
    );
  }
  return { asOf };
}
