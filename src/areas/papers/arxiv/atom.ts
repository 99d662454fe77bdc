import { InvalidResponseError } from '../../../upstream/errors.ts';
import { ArxivRequestError } from './errors.ts';
import { pdfUrlOf, splitVersion } from './ids.ts';
import type { ArxivVersion } from './records.ts';
import { dayOf, joinParagraphs, keepCategories, lineOf, lineOrNull, MOST } from './texts.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from './xml/parse.ts';

const SHAPE = {
  root: { name: 'feed', uri: 'http://www.w3.org/2005/Atom' },
  wanted: new Set(['totalResults', 'entry']),
  item: 'entry',
  behind: [/<\/(?:[\w.-]+:)?feed\b/g],
};
const PAPER = /\/abs\/(.+)$/;
const FAULT = /\/api\/errors#(\w*)/;

/**
 * The answer of the query API to a list of ids, or to anything else that fits one page. `asked` is
 * the `max_results` of the request. Errors come as feeds too, with status 400 or with 200.
 */
export function parseFeed(body: Buffer, status: number, asked: number): ArxivVersion[] {
  const { entries, broken, total } = readFeed(body, status);
  expectPapers(entries, status);
  const listed = entries.length + broken;
  // The API is known to send pages that lack some or all of what it counts.
  if (listed < Math.min(total, asked)) {
    throw new InvalidResponseError('arXiv sent fewer papers than it counts.');
  }
  const versions = entries.flatMap((entry) => parseVersion(entry) ?? []);
  if (listed > 0 && versions.length === 0) {
    throw new InvalidResponseError('arXiv sent a feed without a usable paper.');
  }
  return versions;
}

/** `broken` entries are counted, no more: whoever asked for them by id sees which are missing. */
function readFeed(body: Buffer, status: number) {
  try {
    const { parts, broken } = readXml(body, SHAPE, (element) => element);
    const entries = parts.filter(({ name }) => name === 'entry');
    const total = Number(parts.find(({ name }) => name === 'totalResults')?.text ?? 0);
    return { entries, broken: broken.length, total };
  } catch (error) {
    // Whatever a 400 brings, the same request is no better the next time.
    if (status !== 200 && error instanceof InvalidResponseError) throw refusal('other');
    throw error;
  }
}

function expectPapers(entries: readonly XmlElement[], status: number): void {
  for (const entry of entries) {
    const fault = FAULT.exec(textOf(entry, 'id'))?.[1];
    if (fault?.startsWith('incorrect_id')) throw refusal('incorrect_id');
    if (fault !== undefined && status === 200)
      throw new InvalidResponseError('arXiv sent an error feed.');
  }
  if (status !== 200) throw refusal('other');
}

function refusal(code: 'incorrect_id' | 'other'): ArxivRequestError {
  return code === 'incorrect_id'
    ? new ArxivRequestError(code, 'arXiv does not take one of the ids for an id.')
    : new ArxivRequestError(code, 'arXiv refuses the question about these papers.');
}

/** By name, never by position: the order of an entry's elements has changed over the years. */
function parseVersion(entry: XmlElement): ArxivVersion | null {
  const paper = splitVersion(PAPER.exec(textOf(entry, 'id').trim())?.[1] ?? '');
  const title = lineOf(textOf(entry, 'title'), MOST.title);
  const updated = dayOf(textOf(entry, 'updated'));
  const published = dayOf(textOf(entry, 'published')) ?? updated;
  if (paper === null || title === '' || published === null) return null;
  const primary = childrenOf(entry, 'primary_category');
  const terms = [...primary, ...childrenOf(entry, 'category')].map(
    ({ attributes }) => attributes.term ?? '',
  );
  const hasPdf = childrenOf(entry, 'link').some(({ attributes }) => attributes.title === 'pdf');
  return {
    ...paper,
    published,
    updated: updated ?? published,
    title,
    authors: childrenOf(entry, 'author')
      .slice(0, MOST.authors)
      .flatMap((author) => lineOrNull(childOf(author, 'name')?.text ?? '', MOST.name) ?? []),
    abstract: joinParagraphs(textOf(entry, 'summary')),
    categories: keepCategories(terms),
    comment: lineOrNull(textOf(entry, 'comment'), MOST.comment),
    journalRef: lineOrNull(textOf(entry, 'journal_ref')),
    doi: lineOrNull(textOf(entry, 'doi')),
    pdfUrl: hasPdf ? pdfUrlOf(paper.id, paper.version) : null,
  };
}
