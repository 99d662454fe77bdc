import { InvalidResponseError, RejectedRequestError } from '../../../upstream/errors.ts';
import { isArxivId } from './ids.ts';
import {
  dayOf,
  joinParagraphs,
  keepCategories,
  LIMITS,
  lineOf,
  lineOrNull,
  webUrlOf,
} from './record-fields.ts';
import type { ArxivMetadata, ArxivRecord, RecordPage, SkippedRecord } from './records.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from './xml.ts';

const SHAPE = {
  root: { name: 'OAI-PMH', uri: 'http://www.openarchives.org/OAI/2.0/' },
  wanted: new Set(['responseDate', 'error', 'resumptionToken']),
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
const ERROR_CODES = new Set([
  'badArgument',
  'badResumptionToken',
  'badVerb',
  'cannotDisseminateFormat',
  'idDoesNotExist',
  'noMetadataFormats',
  'noRecordsMatch',
  'noSetHierarchy',
]);

/** The resumption token has expired: the list must be restarted. */
export class TokenExpired extends Error {
  override readonly name = 'TokenExpired';
  override readonly message = 'The arXiv resumption token has expired.';
}

/** The metadata format that we parse. */
export const METADATA_PREFIX = 'arXiv';

/** Parses a ListRecords reply. `asked` is the token of the request, if any. */
export async function parseRecordPage(body: Buffer, asked: string | null): Promise<RecordPage> {
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
  if (token !== null && token !== '' && token === asked) {
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
  // Repeat only the standard's codes; anything else is text that we do not control.
  const known = ERROR_CODES.has(code) ? code : 'other';
  return new RejectedRequestError(`arXiv rejected the request for records (${known}).`);
}

/**
 * `error` is the code of the first error: the standard allows several. `token` is null without a token
 * element, '' for the empty one that ends a list; a broken record may contain it, and then it is lost.
 */
async function readResponse(body: Buffer) {
  const records: ArxivRecord[] = [];
  // Records are converted at once, so that a page's element trees are never all in memory.
  const { parts, broken } = await readXml(body, SHAPE, (element) =>
    element.name === 'record' ? parseRecord(element) : element,
  );
  const skipped = broken.map(({ source, reason }) => ({ id: idWithin(source), reason }));
  const elements: XmlElement[] = [];
  for (const part of parts) {
    if ('reason' in part) skipped.push(part);
    else if ('datestamp' in part) records.push(part);
    else elements.push(part);
  }
  const named = (name: string) => elements.filter((element) => element.name === name);
  const [error] = named('error');
  const [token, ...others] = named('resumptionToken');
  if (others.length > 0) throw new InvalidResponseError('arXiv sent two resumption tokens.');
  const day = dayOf(named('responseDate')[0]?.text ?? '');
  if (day === null) throw new InvalidResponseError('arXiv sent a response without its date.');
  return {
    ...{ records, skipped, responseDate: day },
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
  const named = IDENTIFIER.exec(textOf(header, 'identifier').trim())?.[1] ?? '';
  const id = isArxivId(named) ? named : textOf(paper, 'id').trim();
  const datestamp = dayOf(textOf(header, 'datestamp'));
  if (!isArxivId(id)) return { id: null, reason: 'no arXiv id' };
  if (datestamp === null) return { id, reason: 'no date' };
  if (header?.attributes.status === 'deleted') return { id, datestamp, metadata: null };
  const metadata = parseMetadata(paper);
  if (metadata === null) return { id, reason: 'no title' };
  return { id, datestamp, metadata };
}

function parseMetadata(paper: XmlElement | undefined): ArxivMetadata | null {
  const title = lineOf(textOf(paper, 'title'), LIMITS.title);
  if (title === '') return null;
  return {
    title,
    authors: childrenOf(childOf(paper, 'authors'), 'author')
      .slice(0, LIMITS.authors)
      .flatMap((one) => nameOf(one) ?? []),
    abstract: joinParagraphs(textOf(paper, 'abstract')),
    categories: keepCategories(lineOf(textOf(paper, 'categories'), LIMITS.line).split(' ')),
    created: dayOf(textOf(paper, 'created')),
    updated: dayOf(textOf(paper, 'updated')),
    comment: lineOrNull(textOf(paper, 'comments'), LIMITS.comment),
    journalRef: lineOrNull(textOf(paper, 'journal-ref')),
    doi: lineOrNull(textOf(paper, 'doi')),
    licenseUrl: webUrlOf(textOf(paper, 'license')),
  };
}

/** 'Grace B. Hopper', 'Ada Lovelace, Jr.'; a collaboration has only a key name. */
function nameOf(author: XmlElement): string | null {
  const names = `${textOf(author, 'forenames')} ${textOf(author, 'keyname')}`;
  const name = lineOf(names, LIMITS.name);
  const suffix = lineOf(textOf(author, 'suffix'), LIMITS.name);
  if (name === '') return null;
  return suffix === '' ? name : `${name}, ${suffix}`;
}
