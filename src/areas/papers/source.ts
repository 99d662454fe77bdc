import { InvalidResponseError } from '../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../upstream/http.ts';
import { pathOf } from './arxiv/ids.ts';
import { parseRecordPage, parseSingleRecord } from './arxiv/oai.ts';
import type { ArxivRecord, RecordPage } from './arxiv/records.ts';
import type { Document } from './full-text/parser.ts';

/** 'reading': a caller waits for the document. 'filling': it is fetched ahead of time. */
export type Pace = 'reading' | 'filling';

/** Without trailing slashes. */
interface ArxivBases {
  oaiUrl: string;
  webUrl: string;
  ar5ivUrl: string;
}

/** Where a full text may come from: arXiv's HTML, its copy at ar5iv of whichever version, arXiv's PDF. */
export type TextSource = 'html' | 'ar5iv' | 'pdf';

/**
 * The arXiv requests that we use. Calls reject with the client's errors or a RejectedRequestError; a
 * malformed id is rejected before any request is sent.
 */
export interface ArxivSource {
  /** An empty page when nothing is new. Rejects with TokenExpired when the list must be restarted. */
  listRecords(
    request: { set: string; from: string } | { token: string },
    signal?: AbortSignal,
  ): Promise<RecordPage>;
  /** Null for an id unknown to arXiv. */
  getRecord(id: string, signal?: AbortSignal): Promise<ArxivRecord | null>;
  /** The same with its versions and without its authors. */
  getHistory(id: string, signal?: AbortSignal): Promise<ArxivRecord | null>;
  /** A version of a paper, or the current one; null where the source has none. */
  fetchDocument(
    from: TextSource,
    id: string,
    version: number | null,
    pace: Pace,
    signal?: AbortSignal,
  ): Promise<Document | null>;
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
/** Metadata formats: with authors one by one, and with versions. */
type Format = 'arXiv' | 'arXivRaw';

/** `paceMs` overrides every interval, in milliseconds. */
export function createArxivSource(
  client: Pick<HttpClient, 'get'>,
  bases: ArxivBases,
  paceMs: number | undefined,
): ArxivSource {
  const intervalOf = (pace: Pace | 'list') => paceMs ?? INTERVALS[pace];

  function requestOai<T>(
    query: Readonly<Record<string, string>>,
    parse: (body: Buffer) => T,
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

  async function requestRecord(id: string, metadataPrefix: Format, signal?: AbortSignal) {
    const query = { verb: 'GetRecord', identifier: `oai:arXiv.org:${pathOf(id, null)}` };
    const parse = (body: Buffer) => parseSingleRecord(body, id);
    return requestOai({ ...query, metadataPrefix }, parse, PAPER_MAX_BYTES, signal);
  }

  return {
    async listRecords(request, signal) {
      const format: Format = 'arXiv';
      const query =
        'token' in request
          ? { resumptionToken: request.token }
          : { metadataPrefix: format, ...request };
      return requestOai({ verb: 'ListRecords', ...query }, parseRecordPage, PAGE_MAX_BYTES, signal);
    },
    getRecord: (id, signal) => requestRecord(id, 'arXiv', signal),
    getHistory: (id, signal) => requestRecord(id, 'arXivRaw', signal),
    async fetchDocument(from, id, version, pace, signal) {
      const { base, path, maxBytes, open } = DOCUMENTS[from];
      const name = pathOf(id, from === 'ar5iv' ? null : version);
      return client.get<Document | null>(`${bases[base]}/${path}/${name}`, {
        ...{ maxBytes, intervalMs: intervalOf(pace), signal },
        statuses: from === 'ar5iv' ? [404, ...REDIRECTS] : [404],
        read: (reply) => (reply.status === 200 ? open(reply) : null),
      });
    },
  };
}

/** With these ar5iv points to arXiv for a paper that it lacks; elsewhere they are failures. */
const REDIRECTS = [301, 302, 303, 307, 308];
/** Bytes searched for a root tag: enough for a doctype, comments and the head's first tags. */
const HTML_START = 4_096;
/** A PDF header may be preceded by this many bytes. */
const PDF_START = 1_024;

/** The HTML of a page that is complete, at least up to the end of its article. */
export function openHtml({ body }: Pick<Reply, 'body'>): string {
  const text = new TextDecoder('utf-8').decode(body);
  if (!/<(?:!doctype\s+html|html|head|body|article)\b/i.test(text.slice(0, HTML_START))) {
    throw new InvalidResponseError('arXiv sent something other than a web page.');
  }
  if (!/<\/(?:html|body|article)\s*>/i.test(text)) {
    throw new InvalidResponseError('arXiv sent an incomplete web page.');
  }
  return text;
}

export function openPdf({ body }: Pick<Reply, 'body'>): Uint8Array {
  if (!body.subarray(0, PDF_START).toString('latin1').includes('%PDF-')) {
    throw new InvalidResponseError('arXiv sent something other than a PDF.');
  }
  // Copy: PDF readers may transfer the memory, and a Buffer's can be shared.
  return new Uint8Array(body);
}

const DOCUMENTS = {
  html: { base: 'webUrl', path: 'html', maxBytes: 32 * MB, open: openHtml },
  ar5iv: { base: 'ar5ivUrl', path: 'html', maxBytes: 32 * MB, open: openHtml },
  pdf: { base: 'webUrl', path: 'pdf', maxBytes: 64 * MB, open: openPdf },
} as const;
