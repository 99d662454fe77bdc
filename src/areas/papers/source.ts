import { InvalidResponseError } from '../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../upstream/http.ts';
import { parseFeed } from './arxiv/atom.ts';
import { pathOf } from './arxiv/ids.ts';
import { METADATA_PREFIX, parseRecordPage, parseSingleRecord } from './arxiv/oai.ts';
import type { ArxivRecord, ArxivVersion, RecordPage } from './arxiv/records.ts';

/** 'reading': a caller waits for the document. 'filling': it is fetched ahead of time. */
export type Pace = 'reading' | 'filling';

/** Without trailing slashes. */
export interface ArxivBases {
  oaiUrl: string;
  apiUrl: string;
  webUrl: string;
  ar5ivUrl: string;
}

/** Fetches a version of a paper; null means the current one. */
type FetchVersion<T> = (
  id: string,
  version: number | null,
  pace: Pace,
  signal?: AbortSignal,
) => Promise<T | null>;

/**
 * The arXiv requests that we use. Calls reject with the client's errors or a RejectedRequestError; a
 * malformed id is rejected before any request is sent.
 */
export interface ArxivSource {
  /** An empty page when nothing is new. Rejects with TokenExpired when the list must be restarted. */
  listRecords(
    ask: { set: string; from?: string | undefined } | { token: string },
    signal?: AbortSignal,
  ): Promise<RecordPage>;
  /** Null for an id unknown to arXiv. */
  getRecord(id: string, signal?: AbortSignal): Promise<ArxivRecord | null>;
  /** The current version; null for an id unknown to arXiv. */
  lookUp(id: string, signal?: AbortSignal): Promise<ArxivVersion | null>;
  /** Null when arXiv has no HTML of it. */
  fetchHtml: FetchVersion<string>;
  /** ar5iv's page, of whichever version it holds; null when it has none. */
  fetchAr5iv(id: string, pace: Pace, signal?: AbortSignal): Promise<string | null>;
  /** Null when arXiv has no PDF of it. */
  fetchPdf: FetchVersion<Uint8Array>;
}

const INTERVALS: Readonly<Record<Pace | 'list', number>> = {
  // arXiv allows one request per three seconds across its APIs; the rest is a margin for clocks.
  list: 3_100,
  reading: 3_100,
  // The Crawl-delay of arxiv.org/robots.txt.
  filling: 15_000,
};
const MB = 1024 * 1024;
const PAGE_MAX_BYTES = 64 * MB;
/**
 * Enough for a paper with 3,000 authors. Small, because it is parsed on the thread that serves all
 * calls.
 */
const PAPER_MAX_BYTES = MB / 2;

/** `paceMs` overrides every interval, in milliseconds. */
export function createArxivSource(
  client: Pick<HttpClient, 'get'>,
  bases: ArxivBases,
  paceMs: number | undefined,
): ArxivSource {
  const intervalOf = (pace: Pace | 'list') => paceMs ?? INTERVALS[pace];

  function askOai<T>(
    query: Readonly<Record<string, string>>,
    parse: (body: Buffer) => Promise<T>,
    maxBytes: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return client.get(`${bases.oaiUrl}?${new URLSearchParams(query)}`, {
      read: ({ body }) => parse(body),
      maxBytes,
      intervalMs: intervalOf('list'),
      signal,
    });
  }

  /** Null for a 404 or a redirect; one redirect is followed, to the same document. */
  async function fetchDocument<T>(
    url: string,
    version: number | null,
    { open, maxBytes }: DocumentKind<T>,
    pace: Pace,
    signal: AbortSignal | undefined,
  ): Promise<T | null> {
    const get = (from: string) =>
      client.get<{ document: T | null; location?: string | undefined }>(from, {
        ...{ maxBytes, intervalMs: intervalOf(pace), signal },
        statuses: [404, ...REDIRECTS],
        read: (reply) =>
          reply.status === 200
            ? { document: open(reply) }
            : { document: null, location: reply.location },
      });
    const { document, location = '' } = await get(url);
    // A trailing slash, or the current version where none was named.
    const rest = version === null ? /^(?:v\d+)?\/?$/ : /^\/$/;
    const isSame =
      location !== url && location.startsWith(url) && rest.test(location.slice(url.length));
    return isSame ? (await get(location)).document : document;
  }

  return {
    async listRecords(ask, signal) {
      const token = 'token' in ask ? ask.token : null;
      const query =
        'token' in ask
          ? { resumptionToken: ask.token }
          : {
              metadataPrefix: METADATA_PREFIX,
              set: ask.set,
              ...(ask.from === undefined ? {} : { from: ask.from }),
            };
      const parse = (body: Buffer) => parseRecordPage(body, token);
      return askOai({ verb: 'ListRecords', ...query }, parse, PAGE_MAX_BYTES, signal);
    },

    async getRecord(id, signal) {
      const identifier = `oai:arXiv.org:${pathOf(id, null)}`;
      const query = { verb: 'GetRecord', identifier, metadataPrefix: METADATA_PREFIX };
      return askOai(query, (body) => parseSingleRecord(body, id), PAPER_MAX_BYTES, signal);
    },

    async lookUp(id, signal) {
      const query = new URLSearchParams({ id_list: pathOf(id, null), max_results: '1' });
      const versions = await client.get(`${bases.apiUrl}/api/query?${query}`, {
        read: ({ body }) => parseFeed(body),
        maxBytes: PAPER_MAX_BYTES,
        intervalMs: intervalOf('list'),
        signal,
      });
      return versions.find((version) => version.id === id) ?? null;
    },

    async fetchHtml(id, version, pace, signal) {
      const url = `${bases.webUrl}/html/${pathOf(id, version)}`;
      return fetchDocument(url, version, HTML, pace, signal);
    },

    async fetchAr5iv(id, pace, signal) {
      const url = `${bases.ar5ivUrl}/html/${pathOf(id, null)}`;
      return fetchDocument(url, null, HTML, pace, signal);
    },

    async fetchPdf(id, version, pace, signal) {
      const url = `${bases.webUrl}/pdf/${pathOf(id, version)}`;
      return fetchDocument(url, version, PDF, pace, signal);
    },
  };
}

const REDIRECTS = [301, 302, 303, 307, 308];
/** Bytes searched for a root tag: enough for a doctype, comments and the head's first tags. */
const HTML_START = 4_096;
/** A PDF header may be preceded by this many bytes. */
const PDF_START = 1_024;

/** The HTML of a page that is complete, at least up to the end of its article. */
export function openHtml({ body, contentType }: Reply): string {
  const text = new TextDecoder('utf-8').decode(body);
  const isPage = /<(?:!doctype\s+html|html|head|body|article)\b/i.test(text.slice(0, HTML_START));
  if (!isPage || (contentType !== '' && !/\bx?html\b/.test(contentType))) {
    throw new InvalidResponseError('arXiv sent something other than a web page.');
  }
  if (!/<\/(?:html|body|article)\s*>/i.test(text)) {
    throw new InvalidResponseError('arXiv sent an incomplete web page.');
  }
  return text;
}

export function openPdf({ body }: Reply): Uint8Array {
  if (!body.subarray(0, PDF_START).toString('latin1').includes('%PDF-')) {
    throw new InvalidResponseError('arXiv sent something other than a PDF.');
  }
  // Copy: PDF readers may transfer the memory, and a Buffer's can be shared.
  return new Uint8Array(body);
}

interface DocumentKind<T> {
  maxBytes: number;
  /** Converts a reply with status 200, or throws an InvalidResponseError. */
  open: (reply: Reply) => T;
}

const HTML = { maxBytes: 32 * MB, open: openHtml };
const PDF = { maxBytes: 64 * MB, open: openPdf };
