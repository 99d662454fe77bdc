import { BadAnswer } from '../../../upstream/polite.ts';
import { ArxivRefusal, TokenExpired } from './faults.ts';
import { isArxivId } from './ids.ts';
import type { ArxivMetadata, ArxivRecord, RecordPage } from './records.ts';
import {
  dayOf,
  joinParagraphs,
  keepCategories,
  lineOf,
  lineOrNull,
  MOST,
  webAddressOf,
} from './texts.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from './xml.ts';

const SHAPE = {
  root: { name: 'OAI-PMH', uri: 'http://www.openarchives.org/OAI/2.0/' },
  wanted: new Set(['responseDate', 'error', 'record', 'resumptionToken']),
};
const IDENTIFIER = /^oai:arXiv\.org:(.+)$/i;
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
  /** Records that could not be used. */
  skipped: number;
  /** Null without a token element, '' in the empty one that closes a list. */
  token: string | null;
}

/** The answer to ListRecords. `asked` is the token that it was asked for with, if any. */
export function parseRecordPage(body: Buffer, asked: string | null): RecordPage {
  const { error, records, skipped, token, responseDate } = readAnswer(body);
  if (error === 'noRecordsMatch') return { records: [], token: null, responseDate };
  if (error === 'badResumptionToken') throw new TokenExpired();
  if (error !== null) throw requestErrorOf(error);
  if (records.length === 0 && (skipped > 0 || token !== '')) {
    throw new BadAnswer('arXiv sent a page without a usable record.');
  }
  if (token !== null && token !== '' && token === asked) {
    throw new ArxivRefusal('looping_token', 'arXiv leads from a page of records to the same page.');
  }
  return { records, token: token || null, responseDate };
}

/** The answer to GetRecord for `id`; null when arXiv does not know it. */
export function parseSingleRecord(body: Buffer, id: string): ArxivRecord | null {
  const { error, records } = readAnswer(body);
  if (error === 'idDoesNotExist') return null;
  if (error !== null) throw requestErrorOf(error);
  const record = records.find((each) => each.id === id);
  if (record === undefined) throw new BadAnswer('arXiv sent no usable record of that paper.');
  return record;
}

function requestErrorOf(code: string): ArxivRefusal {
  // Only codes of the standard are repeated: whatever else stands there is arXiv's own text.
  const known = ERROR_CODES.has(code) ? code : 'other';
  return new ArxivRefusal(known, `arXiv refuses the request for records (${known}).`);
}

function readAnswer(body: Buffer): OaiAnswer {
  const answer: OaiAnswer = { responseDate: '', error: null, records: [], skipped: 0, token: null };
  readXml(body, SHAPE, (element) => {
    if (element.name === 'record') {
      const record = parseRecord(element);
      if (record === null) answer.skipped += 1;
      else answer.records.push(record);
    } else if (element.name === 'responseDate') {
      answer.responseDate = dayOf(element.text) ?? '';
    } else if (element.name === 'error') {
      answer.error ??= element.attributes.code ?? '';
    } else {
      answer.token = element.text.trim();
    }
  });
  if (answer.responseDate === '') throw new BadAnswer('arXiv sent an answer without its date.');
  return answer;
}

/** Null for a record without a usable id or date, and for a live one without a title. */
function parseRecord(element: XmlElement): ArxivRecord | null {
  const header = childOf(element, 'header');
  const paper = childOf(childOf(element, 'metadata'), 'arXiv');
  const named = IDENTIFIER.exec(textOf(header, 'identifier').trim())?.[1] ?? '';
  const id = isArxivId(named) ? named : textOf(paper, 'id').trim();
  const datestamp = dayOf(textOf(header, 'datestamp'));
  if (!isArxivId(id) || datestamp === null) return null;
  if (header?.attributes.status === 'deleted') {
    return { id, datestamp, deleted: true, metadata: null };
  }
  const metadata = parseMetadata(paper);
  return metadata && { id, datestamp, deleted: false, metadata };
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
