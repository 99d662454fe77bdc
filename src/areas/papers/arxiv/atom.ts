import { InvalidResponseError } from '../../../upstream/errors.ts';
import { splitVersion } from './ids.ts';
import {
  type ArxivVersion,
  authorsOf,
  dayOf,
  joinParagraphs,
  keepCategories,
  lineOf,
  titleOf,
} from './records.ts';
import { childrenOf, readXml, textOf, type XmlElement } from './xml.ts';

const SHAPE = { root: 'feed', uri: 'http://www.w3.org/2005/Atom', item: 'entry' };
const PAPER = /\/abs\/(\S{1,100})$/;

/** Parses a reply of the query API to a request by id. Some errors are feeds with status 200. */
export async function parseFeed(body: Buffer): Promise<ArxivVersion[]> {
  const { root, items, broken } = await readXml(body, SHAPE, parseEntry);
  if (items.includes('error')) throw new InvalidResponseError('arXiv sent an error feed.');
  const versions = items.filter((item) => item !== 'error' && item !== null);
  // The API is known to send pages without the entries that it counts.
  const announced = Number(textOf(root, 'totalResults')) + items.length + broken.length;
  if (announced > 0 && versions.length === 0) {
    throw new InvalidResponseError('arXiv sent a feed without a usable entry.');
  }
  return versions;
}

/** Finds elements by name: their order in an entry has changed over the years. */
function parseEntry(entry: XmlElement): ArxivVersion | 'error' | null {
  const id = textOf(entry, 'id').trim();
  if (id.includes('/api/errors#')) return 'error';
  const paper = splitVersion(PAPER.exec(id)?.[1] ?? '');
  const title = titleOf(textOf(entry, 'title'));
  const updated = dayOf(textOf(entry, 'updated'));
  const published = dayOf(textOf(entry, 'published')) ?? updated;
  if (paper === null || title === '' || published === null) return null;
  const categories = [...childrenOf(entry, 'primary_category'), ...childrenOf(entry, 'category')];
  return {
    ...paper,
    published,
    updated: updated ?? published,
    title,
    authors: authorsOf(childrenOf(entry, 'author').map((author) => textOf(author, 'name'))),
    abstract: joinParagraphs(textOf(entry, 'summary')),
    categories: keepCategories(categories.map(({ attributes }) => attributes.term ?? '')),
    comment: lineOf(textOf(entry, 'comment')) || null,
    journalRef: lineOf(textOf(entry, 'journal_ref')) || null,
    doi: lineOf(textOf(entry, 'doi')) || null,
  };
}
