import { noticeOf } from '../../core/envelope.ts';
import { type Completer, MAX_COMPLETIONS, type Resource, toJson } from '../../core/resource.ts';
import { escapeMarkup } from '../../core/text.ts';
import { HOUR_MS } from '../../core/time.ts';
import { arxivIdOf } from './arxiv/ids.ts';
import { toBibtex } from './bibtex.ts';
import { toCard, toDetails } from './card.ts';
import { readPaperId, requirePaper } from './find.ts';
import { describeReading } from './notices.ts';
import {
  findPaperByCardId,
  listIdsByTitle,
  listIdsFrom,
  listManifest,
  listSections,
  listTags,
  summarisePapers,
} from './queries.ts';
import { chooseSections, isGated, servedBy, toReading } from './reading.ts';

/** Number of completions to look up: one more than are shown, to detect whether there are more. */
const LIMIT = MAX_COMPLETIONS + 1;
/** The beginning of an arXiv id, after an optional prefix. */
const ID = /^(?:arxiv:)?([a-z-]*\/?[\d.]*)$/i;

/**
 * arXiv ids with the typed prefix, newest first; then ids of papers whose titles contain the typed
 * words.
 */
export const completePaper: Completer = (typed, { db }) => {
  const prefix = ID.exec(typed.trim())?.[1]?.toLowerCase();
  const ids = prefix === undefined ? [] : listIdsFrom(db, prefix, LIMIT);
  const words = typed.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const titled = words.length > 0 ? listIdsByTitle(db, words, LIMIT) : [];
  return [...new Set([...ids, ...titled])].map(arxivIdOf);
};

/** The paper's section keys that contain the typed text. */
export const completeSection: Completer = (typed, shelf, { id = '' }) => {
  const paper = toReading(shelf.db, findPaperByCardId(shelf.db, readPaperId(id).cardId));
  if (paper?.withdrawn !== 0) return [];
  const part = typed.trim().toLowerCase();
  return listManifest(shelf.db, paper.textId)
    .filter(servedBy(paper, shelf))
    .map(({ section_key }) => section_key)
    .filter((key) => key.includes(part));
};

const paper: Resource = {
  name: 'paper',
  title: 'Paper',
  description:
    'Card of a paper on the shelf: metadata, abstract, summary, tags and the keys of its sections.',
  area: 'papers',
  uri: 'quantshelf://paper/{id}',
  mimeType: 'application/json',
  ttlMs: HOUR_MS,
  complete: { id: completePaper },
  read({ id = '' }, shelf) {
    const stored = requirePaper(shelf, id);
    const served = listManifest(shelf.db, stored.textId).filter(servedBy(stored, shelf));
    return toJson(
      { ...toCard(stored, served, shelf), ...toDetails(stored) },
      {
        asOf: stored.asOf,
        ...noticeOf(describeReading(stored, 'settled', isGated(stored, shelf))),
      },
    );
  },
};

const bibtex: Resource = {
  name: 'paper_bibtex',
  title: 'BibTeX entry of a paper',
  description: 'BibTeX entry of a paper on the shelf.',
  area: 'papers',
  uri: 'quantshelf://paper/{id}/bibtex',
  mimeType: 'application/x-bibtex',
  ttlMs: 24 * HOUR_MS,
  complete: { id: completePaper },
  read: ({ id = '' }, shelf) => `${toBibtex(requirePaper(shelf, id))}\n`,
};

const section: Resource = {
  name: 'paper_section',
  title: 'Paper section',
  description:
    'One section of a paper on the shelf, as Markdown, by its section_key; "all" returns every stored section. Fetches nothing.',
  area: 'papers',
  uri: 'quantshelf://paper/{id}/{section}',
  mimeType: 'text/markdown',
  ttlMs: HOUR_MS,
  complete: { id: completePaper, section: completeSection },
  read({ id = '', section: name = '' }, shelf) {
    const stored = requirePaper(shelf, id);
    const available = listSections(shelf.db, stored.textId).filter(servedBy(stored, shelf));
    const gated = isGated(stored, shelf);
    const isStored = stored.textFormat !== null;
    const chosen = chooseSections([name], available, { isStored, isGated: gated });
    const keys = chosen.map(({ section_key }) => section_key).join(', ');
    const { notice } = noticeOf(describeReading(stored, 'settled', gated, available));
    const citation = `${escapeMarkup(stored.title)} (${stored.sourceId}), ${keys}.`;
    return [
      `> ${citation}${notice === undefined ? '' : ` ${notice}`}`,
      ...chosen.flatMap(({ title, content }) => [`## ${escapeMarkup(title)}`, content]),
    ].join('\n\n');
  },
};

const tags: Resource = {
  name: 'paper_tags',
  title: 'Paper tags',
  description: 'Research topics of the papers on the shelf, with the number of papers for each.',
  area: 'papers',
  uri: 'quantshelf://tags/papers',
  mimeType: 'application/json',
  ttlMs: HOUR_MS,
  read: (_, { db, now }) =>
    toJson(listTags(db), { asOf: summarisePapers(db).asOf ?? now().toISOString() }),
};

/** The first match wins, so the more specific URI comes first. */
export const paperResources: readonly Resource[] = [tags, paper, bibtex, section];
