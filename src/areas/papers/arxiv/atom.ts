import { InvalidResponseError, RejectedRequestError } from '../../../upstream/errors.ts';
import { splitVersion } from './ids.ts';
import {
  dayOf,
  joinParagraphs,
  keepCategories,
  LIMITS,
  lineOf,
  lineOrNull,
} from './record-fields.ts';
import type { ArxivVersion } from './records.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from './xml.ts';

const SHAPE = {
  root: { name: 'feed', uri: 'http://www.w3.org/2005/Atom' },
  wanted: new Set(['totalResults']),
  item: 'entry',
};
const PAPER = /\/abs\/(.+)$/;
/** Characters of an id that are searched: the pattern takes time in the square of them. */
const MAX_ID = 500;
const REJECTED = 'arXiv rejected the request for these papers.';
const FAULT = /\/api\/errors#(\w*)/;

/** Parses a reply of the query API to a request by id. Errors are feeds too, with status 400 or 200. */
export async function parseFeed(body: Buffer, status: number): Promise<ArxivVersion[]> {
  const { parts, broken } = await readXml(body, SHAPE, (element) => element).catch((error) => {
    // An unreadable 400 is still a rejection: repeating the request will not help.
    const isRejection = status !== 200 && error instanceof InvalidResponseError;
    throw isRejection ? new RejectedRequestError(REJECTED) : error;
  });
  const entries = parts.filter(({ name }) => name === 'entry');
  const total = Number(parts.find(({ name }) => name === 'totalResults')?.text ?? 0);
  expectPapers(entries, status);
  // Broken entries are only counted: callers ask by id and see which are missing.
  const listed = entries.length + broken.length;
  // The API is known to send pages without the entries that it counts.
  if (listed === 0 && total > 0) {
    throw new InvalidResponseError('arXiv sent fewer papers than it announced.');
  }
  const versions = entries.flatMap((entry) => parseVersion(entry) ?? []);
  if (listed > 0 && versions.length === 0) {
    throw new InvalidResponseError('arXiv sent a feed without a usable entry.');
  }
  return versions;
}

function expectPapers(entries: readonly XmlElement[], status: number): void {
  for (const entry of entries) {
    const fault = FAULT.exec(textOf(entry, 'id'))?.[1];
    if (fault?.startsWith('incorrect_id')) {
      throw new RejectedRequestError('arXiv rejected a malformed id.');
    }
    if (fault !== undefined && status === 200)
      throw new InvalidResponseError('arXiv sent an error feed.');
  }
  if (status !== 200) throw new RejectedRequestError(REJECTED);
}

/** Finds elements by name: their order in an entry has changed over the years. */
function parseVersion(entry: XmlElement): ArxivVersion | null {
  const paper = splitVersion(PAPER.exec(textOf(entry, 'id').trim().slice(0, MAX_ID))?.[1] ?? '');
  const title = lineOf(textOf(entry, 'title'), LIMITS.title);
  const updated = dayOf(textOf(entry, 'updated'));
  const published = dayOf(textOf(entry, 'published')) ?? updated;
  if (paper === null || title === '' || published === null) return null;
  const primary = childrenOf(entry, 'primary_category');
  const terms = [...primary, ...childrenOf(entry, 'category')].map(
    ({ attributes }) => attributes.term ?? '',
  );
  return {
    ...paper,
    published,
    updated: updated ?? published,
    title,
    authors: childrenOf(entry, 'author')
      .slice(0, LIMITS.authors)
      .flatMap((author) => lineOrNull(childOf(author, 'name')?.text ?? '', LIMITS.name) ?? []),
    abstract: joinParagraphs(textOf(entry, 'summary')),
    categories: keepCategories(terms),
    comment: lineOrNull(textOf(entry, 'comment'), LIMITS.comment),
    journalRef: lineOrNull(textOf(entry, 'journal_ref')),
    doi: lineOrNull(textOf(entry, 'doi')),
  };
}
