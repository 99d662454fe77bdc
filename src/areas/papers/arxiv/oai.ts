import { InvalidResponseError, RejectedRequestError } from '../../../upstream/errors.ts';
import { isArxivId } from './ids.ts';
import {
  type ArxivMetadata,
  type ArxivRecord,
  authorsOf,
  dayOf,
  joinParagraphs,
  keepCategories,
  lineOf,
  type RecordPage,
  type SkippedRecord,
  titleOf,
  webUrlOf,
} from './records.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from './xml.ts';

const SHAPE = {
  root: 'OAI-PMH',
  uri: 'http://www.openarchives.org/OAI/2.0/',
  item: 'record',
};
const TOKEN_TAG = /<(?:[\w.-]+:)?resumptionToken\b/;
const IDENTIFIER = /^oai:arXiv\.org:(.+)$/i;
/** The identifier in a record that cannot be parsed. */
const IDENTIFIER_WITHIN = /<(?:[\w.-]+:)?identifier>\s*oai:arXiv\.org:([^\s<]{1,40})/i;
/**
 * A page with more unusable records than this and no usable one has a format that we do not know;
 * continuing would lose them all.
 */
const UNUSABLE_PAGE = 10;
/** The resumption token has expired: the list must be restarted. */
export class TokenExpired extends Error {
  override readonly name = 'TokenExpired';
  override readonly message = 'The arXiv resumption token has expired.';
}

/** The metadata format that we parse. */
export const METADATA_PREFIX = 'arXiv';

/** Parses a ListRecords reply; `requestToken` is that of the request, if any. */
export async function parseRecordPage(
  body: Buffer,
  requestToken: string | null,
): Promise<RecordPage> {
  const { error, records, skipped, token, tokenLost, responseDate } = await readResponse(body);
  if (error === 'noRecordsMatch') return { records: [], skipped: [], token: null, responseDate };
  if (error === 'badResumptionToken') throw new TokenExpired();
  if (error !== undefined) throw requestErrorOf(error);
  // Treating it as the last page would end the harvest early and leave a permanent gap.
  if (tokenLost) throw new InvalidResponseError('arXiv sent a page of records without its end.');
  const isEmpty = skipped.length === 0 && token !== '';
  if (records.length === 0 && (isEmpty || skipped.length > UNUSABLE_PAGE)) {
    throw new InvalidResponseError('arXiv sent a page without a usable record.');
  }
  if (token !== null && token !== '' && token === requestToken) {
    throw new RejectedRequestError('arXiv’s resumption token leads back to the same page.');
  }
  return { records, skipped, token: token || null, responseDate };
}

/** Parses the GetRecord reply for `id`; null when arXiv does not know it. */
export async function parseSingleRecord(body: Buffer, id: string): Promise<ArxivRecord | null> {
  const { error, records } = await readResponse(body);
  if (error === 'idDoesNotExist') return null;
  if (error !== undefined) throw requestErrorOf(error);
  const record = records.find((each) => each.id === id);
  if (record === undefined)
    throw new InvalidResponseError('arXiv sent no usable record of this paper.');
  return record;
}

function requestErrorOf(code: string): RejectedRequestError {
  // Repeat only what looks like one of the standard's codes: the rest is text that we do not control.
  const name = /^[a-zA-Z]{1,30}$/.test(code) ? code : 'other';
  return new RejectedRequestError(`arXiv rejected the request for records (${name}).`);
}

/**
 * `error` is the code of the first error: the standard allows several. `token` is null without a token
 * element, '' for the empty one that ends a list; a broken record may contain it, and then it is lost.
 */
async function readResponse(body: Buffer) {
  // Records are converted at once, so that a page's element trees are never all in memory.
  const { root, items, broken } = await readXml(body, SHAPE, parseRecord);
  const records = items.filter((item) => 'metadata' in item);
  const skipped = [
    ...broken.map(({ source, reason }) => ({ id: idWithin(source), reason })),
    ...items.filter((item) => 'reason' in item),
  ];
  const error = childOf(root, 'error');
  const [token, ...others] = [root, ...root.children].flatMap((each) =>
    childrenOf(each, 'resumptionToken'),
  );
  if (others.length > 0) throw new InvalidResponseError('arXiv sent two resumption tokens.');
  const responseDate = dayOf(textOf(root, 'responseDate'));
  if (responseDate === null) {
    throw new InvalidResponseError('arXiv sent a response without its date.');
  }
  return {
    ...{ records, skipped, responseDate },
    error: error && (error.attributes.code ?? ''),
    token: token?.text.trim() ?? null,
    // A token inside a record, whose end tag is missing, is not the page's.
    tokenLost: token === undefined && TOKEN_TAG.test(body.toString('utf8')),
  };
}

function idWithin(source: string): string | null {
  const id = IDENTIFIER_WITHIN.exec(source)?.[1] ?? '';
  return isArxivId(id) ? id : null;
}

function parseRecord(element: XmlElement): ArxivRecord | SkippedRecord {
  const header = childOf(element, 'header');
  const paper = childOf(childOf(element, 'metadata'), 'arXiv');
  const fromHeader = IDENTIFIER.exec(textOf(header, 'identifier').trim())?.[1] ?? '';
  const id = isArxivId(fromHeader) ? fromHeader : textOf(paper, 'id').trim();
  const datestamp = dayOf(textOf(header, 'datestamp'));
  if (!isArxivId(id)) return { id: null, reason: 'no arXiv id' };
  if (datestamp === null) return { id, reason: 'no date' };
  if (header?.attributes.status === 'deleted') return { id, datestamp, metadata: null };
  const metadata = parseMetadata(paper);
  if (metadata === null) return { id, reason: 'no title' };
  return { id, datestamp, metadata };
}

function parseMetadata(paper: XmlElement | undefined): ArxivMetadata | null {
  const title = titleOf(textOf(paper, 'title'));
  if (title === '') return null;
  return {
    title,
    authors: authorsOf(childrenOf(childOf(paper, 'authors'), 'author').map(nameOf)),
    abstract: joinParagraphs(textOf(paper, 'abstract')),
    categories: keepCategories(lineOf(textOf(paper, 'categories')).split(' ')),
    created: dayOf(textOf(paper, 'created')),
    updated: dayOf(textOf(paper, 'updated')),
    comment: lineOf(textOf(paper, 'comments')) || null,
    journalRef: lineOf(textOf(paper, 'journal-ref')) || null,
    doi: lineOf(textOf(paper, 'doi')) || null,
    licenseUrl: webUrlOf(textOf(paper, 'license')),
  };
}

/** 'Grace B. Hopper', 'Ada Lovelace, Jr.'; a collaboration has only a key name. */
function nameOf(author: XmlElement): string {
  const name = `${textOf(author, 'forenames')} ${textOf(author, 'keyname')}`.trim();
  const suffix = textOf(author, 'suffix').trim();
  return name === '' || suffix === '' ? name : `${name}, ${suffix}`;
}
