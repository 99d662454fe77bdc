import { InvalidResponseError } from '../../../upstream/errors.ts';
import { ArxivRequestError, TokenExpired } from './errors.ts';
import { isArxivId } from './ids.ts';
import type { ArxivMetadata, ArxivRecord, RecordPage, SkippedRecord } from './records.ts';
import {
  dayOf,
  joinParagraphs,
  keepCategories,
  lineOf,
  lineOrNull,
  MOST,
  webAddressOf,
} from './texts.ts';
import {
  type BrokenItem,
  childOf,
  childrenOf,
  readXml,
  textOf,
  type XmlElement,
} from './xml/parse.ts';

const SHAPE = {
  root: { name: 'OAI-PMH', uri: 'http://www.openarchives.org/OAI/2.0/' },
  wanted: new Set(['responseDate', 'error', 'record', 'resumptionToken']),
  item: 'record',
  behind: [/<(?:[\w.-]+:)?resumptionToken\b/g, /<\/(?:[\w.-]+:)?(?:ListRecords|GetRecord)\b/g],
};
const IDENTIFIER = /^oai:arXiv\.org:(.+)$/i;
/** The same in a record that cannot be parsed. */
const IDENTIFIER_WITHIN = /<(?:[\w.-]+:)?identifier>\s*oai:arXiv\.org:([^\s<]{1,40})/i;
/**
 * A page on which so many records cannot be used, and no other can, has another format than ours:
 * to go on would lose them all.
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

/** Before the metadata format's name goes into a request. */
export const METADATA_PREFIX = 'arXiv';

export function identifierOf(id: string): string {
  return `oai:arXiv.org:${id}`;
}

interface OaiAnswer {
  responseDate: string;
  /** Of the first error; the standard allows several. */
  error: string | null;
  records: ArxivRecord[];
  skipped: SkippedRecord[];
  /** Null without a token element, '' in the empty one that closes a list. */
  token: string | null;
  /** A broken record may have taken the token with it. */
  tokenLost: boolean;
}

/** The answer to ListRecords. `asked` is the token that it was asked for with, if any. */
export function parseRecordPage(body: Buffer, asked: string | null): RecordPage {
  const { error, records, skipped, token, tokenLost, responseDate } = readAnswer(body);
  if (error === 'noRecordsMatch') return { records: [], skipped: [], token: null, responseDate };
  if (error === 'badResumptionToken') throw new TokenExpired();
  if (error !== null) throw requestErrorOf(error);
  // Taken for the last page, it would end the harvest early and leave a gap for good.
  if (tokenLost) throw new InvalidResponseError('arXiv sent a page of records whose end is lost.');
  const isEmpty = skipped.length === 0 && token !== '';
  if (records.length === 0 && (isEmpty || skipped.length > UNUSABLE_PAGE)) {
    throw new InvalidResponseError('arXiv sent a page without a usable record.');
  }
  if (token !== null && token !== '' && token === asked) {
    throw new ArxivRequestError(
      'looping_token',
      'arXiv leads from a page of records to the same page.',
    );
  }
  return { records, skipped, token: token || null, responseDate };
}

/** The answer to GetRecord for `id`; null when arXiv does not know it. */
export function parseSingleRecord(body: Buffer, id: string): ArxivRecord | null {
  const { error, records } = readAnswer(body);
  if (error === 'idDoesNotExist') return null;
  if (error !== null) throw requestErrorOf(error);
  const record = records.find((each) => each.id === id);
  if (record === undefined)
    throw new InvalidResponseError('arXiv sent no usable record of that paper.');
  return record;
}

function requestErrorOf(code: string): ArxivRequestError {
  // Only codes of the standard are repeated: whatever else stands there is arXiv's own text.
  const known = ERROR_CODES.has(code) ? code : 'other';
  return new ArxivRequestError(known, `arXiv refuses the request for records (${known}).`);
}

function readAnswer(body: Buffer): OaiAnswer {
  const { parts, broken, openEnded } = readXml(body, SHAPE, readPart);
  const answer: OaiAnswer = {
    ...{ responseDate: '', error: null, records: [], token: null, tokenLost: false },
    skipped: broken.map(({ source, reason }) => ({ id: idWithin(source), reason })),
  };
  for (const part of parts) {
    if ('reason' in part) answer.skipped.push(part);
    else if ('datestamp' in part) answer.records.push(part);
    else if (part.name === 'responseDate') answer.responseDate = dayOf(part.text) ?? '';
    else if (part.name === 'error') answer.error ??= part.attributes.code ?? '';
    else answer.token = part.text.trim();
  }
  answer.tokenLost = answer.token === null && (openEnded || broken.some(holdsToken));
  if (answer.responseDate === '')
    throw new InvalidResponseError('arXiv sent an answer without its date.');
  return answer;
}

/** A record is read at once, so that the trees of a whole page are never held together. */
function readPart(element: XmlElement): ArxivRecord | SkippedRecord | XmlElement {
  return element.name === 'record' ? parseRecord(element) : element;
}

function idWithin(source: string): string | null {
  const id = IDENTIFIER_WITHIN.exec(source)?.[1] ?? '';
  return isArxivId(id) ? id : null;
}

function holdsToken({ source }: BrokenItem): boolean {
  return source.includes('resumptionToken');
}

function parseRecord(element: XmlElement): ArxivRecord | SkippedRecord {
  const header = childOf(element, 'header');
  const paper = childOf(childOf(element, 'metadata'), 'arXiv');
  const named = IDENTIFIER.exec(textOf(header, 'identifier').trim())?.[1] ?? '';
  const id = isArxivId(named) ? named : textOf(paper, 'id').trim();
  const datestamp = dayOf(textOf(header, 'datestamp'));
  if (!isArxivId(id)) return { id: null, reason: 'no arXiv id' };
  if (datestamp === null) return { id, reason: 'no date' };
  if (header?.attributes.status === 'deleted') {
    return { id, datestamp, deleted: true, metadata: null };
  }
  const metadata = parseMetadata(paper);
  if (metadata === null) return { id, reason: 'no title' };
  return { id, datestamp, deleted: false, metadata };
}

function parseMetadata(paper: XmlElement | undefined): ArxivMetadata | null {
  const title = lineOf(textOf(paper, 'title'), MOST.title);
  if (title === '') return null;
  return {
    title,
    authors: childrenOf(childOf(paper, 'authors'), 'author')
      .slice(0, MOST.authors)
      .flatMap((one) => nameOf(one) ?? []),
    abstract: joinParagraphs(textOf(paper, 'abstract')),
    categories: keepCategories(lineOf(textOf(paper, 'categories'), MOST.line).split(' ')),
    created: dayOf(textOf(paper, 'created')),
    updated: dayOf(textOf(paper, 'updated')),
    comment: lineOrNull(textOf(paper, 'comments'), MOST.comment),
    reportNo: lineOrNull(textOf(paper, 'report-no')),
    journalRef: lineOrNull(textOf(paper, 'journal-ref')),
    doi: lineOrNull(textOf(paper, 'doi')),
    licenseUrl: webAddressOf(textOf(paper, 'license')),
  };
}

/** 'Grace B. Hopper', 'Ada Lovelace, Jr.'; a collaboration has a key name only. */
function nameOf(author: XmlElement): string | null {
  const names = `${textOf(author, 'forenames')} ${textOf(author, 'keyname')}`;
  const name = lineOf(names, MOST.name);
  const suffix = lineOf(textOf(author, 'suffix'), MOST.name);
  if (name === '') return null;
  return suffix === '' ? name : `${name}, ${suffix}`;
}
