import type { HttpClient } from '../../upstream/client.ts';
import { HttpError, InvalidResponseError } from '../../upstream/failures.ts';
import { pathOf } from './arxiv/ids.ts';
import { parseRecordPage, parseSingleRecord, type RecordPage } from './arxiv/oai.ts';
import type { Document } from './full-text/parser.ts';

/** Whether a caller waits for the document, or it is fetched ahead of time. */
export type Pace = 'awaited' | 'ahead';

/** Base URLs, without trailing slashes. */
interface ArxivBases {
  oaiUrl: string;
  webUrl: string;
  ar5ivUrl: string;
}

/** arXiv's HTML, ar5iv's copy of some version, arXiv's PDF. */
export type TextFormat = 'html' | 'ar5iv' | 'pdf';

const INTERVALS: Readonly<Record<Pace | 'list', number>> = {
  // arXiv allows one request per three seconds across its APIs; the extra 100 ms are a margin for
  // clock differences.
  list: 3_100,
  awaited: 3_100,
  // The Crawl-delay of arxiv.org/robots.txt.
  ahead: 15_000,
};
const MB = 1024 * 1024;
const PAGE_MAX_BYTES = 64 * MB;
/** Enough for a record with 3,000 authors; small, because parsing it blocks all calls. */
const PAPER_MAX_BYTES = MB / 2;

/** Metadata formats: `arXiv` lists authors individually, `arXivRaw` lists versions. */
export type ListFormat = 'arXiv' | 'arXivRaw';

export type ArxivSource = ReturnType<typeof createArxivSource>;

/** Requests to arXiv and ar5iv. They reject with the errors of `upstream/failures.ts`. */
export function createArxivSource(client: Pick<HttpClient, 'get'>, bases: ArxivBases) {
  function requestOai<T>(
    query: Readonly<Record<string, string>>,
    parse: (body: Buffer) => T,
    maxBytes: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return client.get(`${bases.oaiUrl}?${new URLSearchParams(query)}`, {
      read: ({ body }) => parse(acceptedBody(body)),
      maxBytes,
      intervalMs: INTERVALS.list,
      signal,
    });
  }

  const recordIn = (metadataPrefix: ListFormat) => (id: string, signal?: AbortSignal) => {
    const query = { verb: 'GetRecord', identifier: `oai:arXiv.org:${id}`, metadataPrefix };
    return requestOai(query, (body) => parseSingleRecord(body, id), PAPER_MAX_BYTES, signal);
  };

  return {
    /** A page, empty if nothing is new. Rejects with TokenExpired if the list must be restarted. */
    async listRecords(
      request: { set: string; from: string; format: ListFormat } | { token: string },
      signal?: AbortSignal,
    ): Promise<RecordPage> {
      const query =
        'token' in request
          ? { resumptionToken: request.token }
          : { metadataPrefix: request.format, set: request.set, from: request.from };
      return requestOai({ verb: 'ListRecords', ...query }, parseRecordPage, PAGE_MAX_BYTES, signal);
    },
    /** Null for an id unknown to arXiv. */
    getRecord: recordIn('arXiv'),
    /** The same record with its versions but without its authors. */
    getHistory: recordIn('arXivRaw'),
    /** Null if the host does not have the document; a null `version` means the current one. */
    async fetchDocument(
      from: TextFormat,
      id: string,
      version: number | null,
      pace: Pace,
      signal?: AbortSignal,
    ): Promise<Document | null> {
      const { base, path, host, maxBytes, open } = DOCUMENTS[from];
      const name = pathOf(id, from === 'ar5iv' ? null : version);
      return client.get<Document | null>(`${bases[base]}/${path}/${name}`, {
        maxBytes,
        intervalMs: INTERVALS[pace],
        signal,
        statuses: from === 'ar5iv' ? [404, ...REDIRECTS] : [404],
        read: ({ status, body }) => (status === 200 ? open(acceptedBody(body), host) : null),
      });
    },
  };
}

/** Delay after a refusal: longer than any caller waits, so that requests fail at once until it ends. */
const REFUSED_MS = 15 * 60_000;

/** Returns the body; throws if it is arXiv's refusal of further requests, which may have status 200. */
function acceptedBody(body: Buffer): Buffer {
  if (!/^\s*rate exceeded\b/i.test(body.toString('latin1', 0, 100))) return body;
  throw new HttpError('status', 'arXiv asked us to wait', {
    status: 429,
    retryAfterMs: REFUSED_MS,
  });
}

/** For papers that it lacks, ar5iv redirects to arXiv; other hosts' redirects are failures. */
const REDIRECTS = [301, 302, 303, 307, 308];
/** Maximum number of bytes before the header of a PDF. */
const PDF_START = 1_024;

/** Decodes a page; throws unless it is complete at least to the end of its article. */
export function openHtml(body: Buffer, host: string): string {
  const text = new TextDecoder().decode(body);
  if (!/<\/(?:html|body|article)\s*>/i.test(text)) {
    throw new InvalidResponseError(`${host} sent an incomplete web page.`);
  }
  return text;
}

export function openPdf(body: Buffer): Uint8Array {
  if (!body.subarray(0, PDF_START).toString('latin1').includes('%PDF-')) {
    throw new InvalidResponseError('arXiv sent something other than a PDF.');
  }
  // Copy the bytes: a PDF reader may transfer their memory, which other Buffers may share.
  return new Uint8Array(body);
}

const DOCUMENTS = {
  html: { base: 'webUrl', path: 'html', host: 'arXiv', maxBytes: 32 * MB, open: openHtml },
  ar5iv: { base: 'ar5ivUrl', path: 'html', host: 'ar5iv', maxBytes: 32 * MB, open: openHtml },
  pdf: { base: 'webUrl', path: 'pdf', host: 'arXiv', maxBytes: 64 * MB, open: openPdf },
} as const;
