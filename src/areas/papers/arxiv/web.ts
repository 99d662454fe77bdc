import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../../upstream/http.ts';

/** How one kind of document is asked for. */
export interface Fetching<T> {
  client: Pick<HttpClient, 'get'>;
  intervalMs: number;
  maxBytes: number;
  /** Makes the document of a body with status 200, or throws a InvalidResponseError. */
  open: (reply: Reply) => T;
  signal: AbortSignal | undefined;
}

const REDIRECTS = [301, 302, 303, 307, 308];
/** Enough for a document type, comments and the head's first tags. */
const HTML_START = 4_096;
/** A PDF may have that much before its header. */
const PDF_START = 1_024;

/**
 * The document at `url`. Null when it is not there: 404, or a redirect, which is followed only once
 * and only to a target that `isSame` knows for the same document.
 */
export async function fetchDocument<T>(
  url: string,
  fetching: Fetching<T>,
  isSame: (target: string) => boolean = () => false,
): Promise<T | null> {
  const first = await ask(url, fetching);
  if (first.target === undefined || !isSame(first.target)) return first.document;
  return (await ask(first.target, fetching)).document;
}

interface Answered<T> {
  document: T | null;
  target?: string | undefined;
}

function ask<T>(url: string, { client, open, ...how }: Fetching<T>): Promise<Answered<T>> {
  return client.get<Answered<T>>(url, {
    ...how,
    statuses: [404, ...REDIRECTS],
    read: (reply) =>
      reply.status === 200 ? { document: open(reply) } : { document: null, target: reply.location },
  });
}

/** The text of a web page, whole at least as far as the article in it goes. */
export function openHtml({ body, contentType }: Reply): string {
  const text = new TextDecoder('utf-8').decode(body);
  const isPage = /<(?:!doctype\s+html|html|head|body|article)\b/i.test(text.slice(0, HTML_START));
  const isNamedSo = contentType === '' || /\bx?html\b/.test(contentType);
  if (!isPage || !isNamedSo)
    throw new InvalidResponseError('arXiv sent something other than a web page.');
  if (!/<\/(?:html|body|article)\s*>/i.test(text))
    throw new InvalidResponseError('arXiv sent half a web page.');
  return text;
}

export function openPdf({ body }: Reply): Uint8Array {
  const start = body.subarray(0, PDF_START).toString('latin1');
  if (!start.includes('%PDF-'))
    throw new InvalidResponseError('arXiv sent something other than a PDF.');
  // A copy of its own: readers of PDF may take the memory over, and a Buffer's can be shared.
  return new Uint8Array(body);
}
