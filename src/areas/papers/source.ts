import type { HttpClient } from '../../upstream/http.ts';
import { parseFeed } from './arxiv/atom.ts';
import { fetchDocument, openHtml, openPdf } from './arxiv/documents.ts';
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
const HTML_MAX_BYTES = 32 * MB;
const PDF_MAX_BYTES = 64 * MB;

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

  const html = { client, maxBytes: HTML_MAX_BYTES, open: openHtml };
  const pdf = { client, maxBytes: PDF_MAX_BYTES, open: openPdf };

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
        statuses: [400],
        read: ({ body, status }) => parseFeed(body, status),
        maxBytes: PAPER_MAX_BYTES,
        intervalMs: intervalOf('list'),
        signal,
      });
      return versions.find((version) => version.id === id) ?? null;
    },

    async fetchHtml(id, version, pace, signal) {
      const url = `${bases.webUrl}/html/${pathOf(id, version)}`;
      const request = { ...html, intervalMs: intervalOf(pace), signal };
      return fetchDocument(url, request, leadsToVersionOf(url, version));
    },

    async fetchAr5iv(id, pace, signal) {
      const url = `${bases.ar5ivUrl}/html/${pathOf(id, null)}`;
      return fetchDocument(url, { ...html, intervalMs: intervalOf(pace), signal });
    },

    async fetchPdf(id, version, pace, signal) {
      const url = `${bases.webUrl}/pdf/${pathOf(id, version)}`;
      const request = { ...pdf, intervalMs: intervalOf(pace), signal };
      return fetchDocument(url, request, leadsToVersionOf(url, version));
    },
  };
}

/** Accepts a redirect to the same document: a trailing slash, or its version where none was named. */
function leadsToVersionOf(url: string, version: number | null): (target: string) => boolean {
  const rest = version === null ? /^(?:v\d+)?\/?$/ : /^\/$/;
  return (target) =>
    target !== url && target.startsWith(url) && rest.test(target.slice(url.length));
}
