import { parseXml as parseDocument, XmlElement, XmlText } from '@rgrove/parse-xml';
import { isCalendarDay } from '../../../core/fields.ts';
import { cleanLine, cleanText, cut } from '../../../core/text.ts';
import { toDay } from '../../../core/time.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { isArxivId } from './ids.ts';

/** A paper's metadata in an OAI-PMH record: clean text, formulas in TeX, days as YYYY-MM-DD. */
export interface ArxivMetadata {
  title: string;
  /** Forenames first, in the paper's order; empty in `arXivRaw`. */
  authors: string[];
  /** Paragraphs separated by a blank line; '' if arXiv has no abstract. */
  abstract: string;
  /** arXiv's own categories, the primary one first. */
  categories: string[];
  /** Despite its name, the date of the current version, according to arXiv's OAI server code. */
  created: string | null;
  updated: string | null;
  comment: string | null;
  journalRef: string | null;
  /** May contain several, separated by spaces. */
  doi: string | null;
  licenseUrl: string | null;
  /** In order; empty except in `arXivRaw`. */
  versions: { version: number; day: string; isWithdrawn?: true }[];
}

export interface ArxivRecord {
  /** '2401.00001' or 'q-fin/0601001', never with a version. */
  id: string;
  /** Day of the record's last change, YYYY-MM-DD; not a submission date. */
  datestamp: string;
  /** Null if arXiv has deleted the record. */
  metadata: ArxivMetadata | null;
}

/** A record that cannot be used; `id` is null if unreadable. */
export interface SkippedRecord {
  id: string | null;
  reason: string;
}

export interface RecordPage {
  /** May repeat records of the previous page. */
  records: ArxivRecord[];
  skipped: SkippedRecord[];
  /** Token of the next page; null on the last. */
  token: string | null;
  /** Day of the response by arXiv's clock, YYYY-MM-DD. */
  responseDate: string;
}

/** Matches a record; an unclosed one ends where the next one begins. */
const RECORD = /<record[\s/>][\s\S]*?(?:<\/record\s*>|(?=<record[\s/>])|$)/g;
const IDENTIFIER = /identifier>\s*oai:arXiv\.org:([^\s<]{1,40})/i;
/** A page with more unusable records than this, and no usable one, has an unknown format. */
const UNUSABLE_PAGE = 10;

/** Thrown if a list must be requested again from its beginning. */
export class TokenExpired extends Error {
  override readonly name = 'TokenExpired';
  override readonly message = 'The arXiv resumption token has expired.';
}

/** Parses a ListRecords response. */
export function parseRecordPage(body: Buffer): RecordPage {
  const { error, records, skipped, token, responseDate } = readResponse(body);
  if (error === 'noRecordsMatch') return { records: [], skipped: [], token: null, responseDate };
  if (error === 'badResumptionToken') throw new TokenExpired();
  if (error !== undefined) throw requestErrorOf(error);
  const isEmpty = skipped.length === 0 && token !== '';
  if (records.length === 0 && (isEmpty || skipped.length > UNUSABLE_PAGE)) {
    throw new InvalidResponseError('arXiv sent a page without a usable record.');
  }
  return { records, skipped, token: token || null, responseDate };
}

/** Parses the GetRecord response for `id`; null if arXiv does not know it. */
export function parseSingleRecord(body: Buffer, id: string): ArxivRecord | null {
  const { error, records } = readResponse(body);
  if (error === 'idDoesNotExist') return null;
  if (error !== undefined) throw requestErrorOf(error);
  const record = records.find((each) => each.id === id);
  if (record === undefined) {
    throw new InvalidResponseError(`arXiv sent no usable record for ${id}.`);
  }
  return record;
}

function requestErrorOf(code: string): RejectedRequestError {
  // Quote only what looks like an OAI-PMH error code: other text could be anything.
  const name = /^[a-zA-Z]{1,30}$/.test(code) ? code : 'other';
  return new RejectedRequestError(`arXiv rejected the request for records (${name}).`);
}

/**
 * Parses a response without its records, then each record on its own, so that a damaged one does
 * not affect the others. `error` is the code of the first error. `token` is null if its element is
 * missing; an empty element, which marks the end of a list, yields ''.
 */
function readResponse(body: Buffer) {
  const text = body.toString('utf8');
  const elements = text.match(RECORD) ?? [];
  const root = parseXml(text.replace(RECORD, ''));
  const responseDate = dayOf(textOf(root, 'responseDate'));
  if (root?.name !== 'OAI-PMH' || responseDate === null) {
    throw new InvalidResponseError('arXiv sent something other than OAI-PMH.');
  }
  const records: ArxivRecord[] = [];
  const skipped: SkippedRecord[] = [];
  for (const element of elements) {
    const record = readRecord(element);
    if ('metadata' in record) records.push(record);
    else skipped.push(record);
  }
  const error = childOf(root, 'error');
  const token = childOf(childOf(root, 'ListRecords'), 'resumptionToken');
  // A damaged record may have swallowed the token, without which the harvest would end early and
  // leave a permanent gap.
  if (token === undefined && text.includes('<resumptionToken')) {
    throw new InvalidResponseError('arXiv sent a truncated page of records.');
  }
  return {
    records,
    skipped,
    responseDate,
    error: error && (error.attributes.code ?? ''),
    token: token?.text.trim() ?? null,
  };
}

function readRecord(xml: string): ArxivRecord | SkippedRecord {
  const [, id = ''] = IDENTIFIER.exec(xml) ?? [];
  try {
    const record = parseXml(xml);
    const header = childOf(record, 'header');
    const datestamp = dayOf(textOf(header, 'datestamp'));
    if (!isArxivId(id)) return { id: null, reason: 'no arXiv id' };
    if (datestamp === null) return { id, reason: 'no date' };
    if (header?.attributes.status === 'deleted') return { id, datestamp, metadata: null };
    const metadata = parseMetadata(childOf(childOf(record, 'metadata')));
    return metadata === null ? { id, reason: 'no title' } : { id, datestamp, metadata };
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    return { id: isArxivId(id) ? id : null, reason: 'malformed XML' };
  }
}

/** Reads an `arXiv` or `arXivRaw` element; null if it has no title. */
function parseMetadata(paper: XmlElement | undefined): ArxivMetadata | null {
  const title = cut(cleanLine(textOf(paper, 'title')), LIMITS.title);
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
    versions: childrenOf(paper, 'version').flatMap(versionOf),
  };
}

/** 'Grace B. Hopper', 'Ada Lovelace, Jr.'; a collaboration has only a key name. */
function nameOf(author: XmlElement): string {
  const name = `${textOf(author, 'forenames')} ${textOf(author, 'keyname')}`.trim();
  const suffix = textOf(author, 'suffix').trim();
  return name === '' || suffix === '' ? name : `${name}, ${suffix}`;
}

/** `<version version="v2"><date>Mon, 02 Apr 2007 19:18:42 GMT</date>…`; empty if unreadable. */
function versionOf(element: XmlElement): ArxivMetadata['versions'] {
  const [, number] = /^v([1-9]\d{0,3})$/.exec(element.attributes.version ?? '') ?? [];
  const time = Date.parse(textOf(element, 'date'));
  if (number === undefined || Number.isNaN(time)) return [];
  // Source type I marks a version without a source: the paper is withdrawn.
  const isWithdrawn = textOf(element, 'source_type').includes('I');
  const day = toDay(new Date(time));
  return [{ version: Number(number), day, ...(isWithdrawn ? { isWithdrawn } : {}) }];
}

/** Limits per record, so that its card fits into a reply; lengths in UTF-16 code units. */
export const LIMITS = {
  title: 500,
  abstract: 3_000,
  line: 1_000,
  name: 200,
  names: 3_000,
  categories: 50,
};
/** Maximum number of authors; a longer list ends in "others", as in BibTeX. */
const MAX_AUTHORS = 100;

export function lineOf(text: string): string {
  return cut(cleanLine(text), LIMITS.line);
}

export function authorsOf(names: readonly string[]): string[] {
  const authors = names
    .map((name) => cut(cleanLine(name), LIMITS.name))
    .filter((name) => name !== '');
  let left = LIMITS.names;
  const kept = authors.slice(0, MAX_AUTHORS).filter((name) => {
    left -= name.length;
    return left >= 0;
  });
  return kept.length < authors.length ? [...kept, 'others'] : authors;
}

/**
 * Unwraps an abstract into paragraphs separated by a blank line. arXiv breaks lines anywhere and
 * indents the first line of a paragraph. Some authors indent every line, so an indented line
 * begins a paragraph only if the previous one ends in a full stop or a similar mark.
 */
export function joinParagraphs(text: string): string {
  const paragraphs = cleanText(text)
    .replace(/([.?!:;]["'”’)\]$]?)[^\S\n]*\n[^\S\n]+(?=\S)/g, '$1\n\n')
    .split(/\n[^\S\n]*\n/)
    .map(cleanLine)
    .filter((paragraph) => paragraph !== '');
  return cut(paragraphs.join('\n\n'), LIMITS.abstract);
}

/** arXiv's own categories, in order and without duplicates; ACM and MSC classes are dropped. */
function keepCategories(terms: readonly string[]): string[] {
  const own = terms.filter((term) => /^[a-z-]{1,20}(\.[A-Za-z-]{1,20})?$/.test(term));
  return [...new Set(own)].slice(0, LIMITS.categories);
}

/** The day of an ISO date or time, as YYYY-MM-DD; null if there is no such day. */
function dayOf(text: string): string | null {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text.trim())?.[0] ?? '';
  return isCalendarDay(day) ? day : null;
}

function webUrlOf(text: string): string | null {
  return /^https?:\/\/\S{1,1000}$/i.exec(cleanLine(text))?.[0] ?? null;
}

/** Maximum length of XML in UTF-16 code units; a record with 3,000 authors has under a million. */
const MAX_LENGTH = 2_000_000;

/** Parses XML into its root element; does not expand declared entities. Throws if malformed or too long. */
function parseXml(text: string): XmlElement | null {
  if (text.length > MAX_LENGTH) throw new InvalidResponseError('arXiv sent XML that is too long.');
  try {
    return parseDocument(text).root;
  } catch {
    throw new InvalidResponseError('arXiv sent malformed XML.');
  }
}

function childrenOf(element: XmlElement | null | undefined, name?: string): XmlElement[] {
  const elements = element?.children.filter((child) => child instanceof XmlElement) ?? [];
  return name === undefined ? elements : elements.filter((child) => child.name === name);
}

const childOf = (element: XmlElement | null | undefined, name?: string) =>
  childrenOf(element, name)[0];

/** All text in the named child. The library's own `text` recurses, so it fails on deep nesting. */
function textOf(element: XmlElement | null | undefined, name: string): string {
  const open: unknown[] = [childOf(element, name)];
  let text = '';
  while (open.length > 0) {
    const node = open.pop();
    if (node instanceof XmlText) text += node.text;
    else if (node instanceof XmlElement)
      for (const child of node.children.toReversed()) open.push(child);
  }
  return text;
}
