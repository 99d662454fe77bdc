import { noticeOf } from '../../core/envelope.ts';
import { type Resource, toJson } from '../../core/resource.ts';
import { escapeMarkup } from '../../core/text.ts';
import { toBibtex } from './bibtex.ts';
import { toCard, toDetails } from './card.ts';
import { completePaper, completeSection } from './complete.ts';
import { requirePaper } from './lookup.ts';
import { describeReading } from './notices.ts';
import { listManifest, listSections } from './queries.ts';
import { chooseSections, isGated, servedBy } from './reading.ts';
import { findAsOf, listTags } from './search-queries.ts';

const HOUR_MS = 60 * 60 * 1_000;

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
    const held = requirePaper(shelf, id);
    const served = listManifest(shelf.db, held.id).filter(servedBy(held, shelf));
    return toJson(
      { ...toCard(held, served), ...toDetails(held) },
      {
        asOf: held.asOf,
        ...noticeOf(describeReading(held, [], 'settled', isGated(held, shelf))),
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
  title: 'Section of a paper',
  description:
    'One section of a paper on the shelf, as Markdown, by its section_key; "all" gives every stored section. Nothing is fetched.',
  area: 'papers',
  uri: 'quantshelf://paper/{id}/{section}',
  mimeType: 'text/markdown',
  ttlMs: HOUR_MS,
  complete: { id: completePaper, section: completeSection },
  read({ id = '', section: asked = '' }, shelf) {
    const held = requirePaper(shelf, id);
    const available = listSections(shelf.db, held.id).filter(servedBy(held, shelf));
    const keys = available.map(({ key }) => key);
    const wanted = chooseSections([asked], keys, held.textSource !== null);
    const chosen = available.filter(({ key }) => wanted.has(key));
    const gated = isGated(held, shelf);
    const { notice } = noticeOf(describeReading(held, chosen, 'settled', gated));
    const source = `${escapeMarkup(held.title)} (${held.sourceId}), ${chosen.map(({ key }) => key).join(', ')}.`;
    return [
      `> ${source}${notice === undefined ? '' : ` ${notice}`}`,
      ...chosen.flatMap(({ title, content }) => [`## ${escapeMarkup(title)}`, content]),
    ].join('\n\n');
  },
};

const tags: Resource = {
  name: 'paper_tags',
  title: 'Tags of the papers',
  description: 'Research topics of the papers on the shelf, with the number of papers for each.',
  area: 'papers',
  uri: 'quantshelf://tags/papers',
  mimeType: 'application/json',
  ttlMs: HOUR_MS,
  read: (_, { db, now }) => toJson(listTags(db), { asOf: findAsOf(db) ?? now().toISOString() }),
};

/** The more special URI first: the first that fits is read. */
export const paperResources: readonly Resource[] = [tags, paper, bibtex, section];
