import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../../upstream/http.ts';

/** How to request one kind of document. */
export interface DocumentRequest<T> {
  client: Pick<HttpClient, 'get'>;
  intervalMs: number;
  maxBytes: number;
  /** Converts a reply with status 200, or throws an InvalidResponseError. */
  open: (reply: Reply) => T;
  signal: AbortSignal | undefined;
}

const REDIRECTS = [301, 302, 303, 307, 308];
/** Bytes searched for a root tag: enough for a doctype, comments and the head's first tags. */
const HTML_START = 4_096;
/** A PDF header may be preceded by this many bytes. */
const PDF_START = 1_024;

/**
 * The document at `url`; null for a 404 or a redirect. A redirect is followed once, if `isSame` accepts
 * its target as the same document.
 */
export async function fetchDocument<T>(
  url: string,
  { client, open, ...how }: DocumentRequest<T>,
  isSame: (target: string) => boolean = () => false,
): Promise<T | null> {
  const ask = (from: string) =>
    client.get<{ document: T | null; target?: string | undefined }>(from, {
      ...how,
      statuses: [404, ...REDIRECTS],
      read: (reply) =>
        reply.status === 200
          ? { document: open(reply) }
          : { document: null, target: reply.location },
    });
  const { document, target } = await ask(url);
  return target !== undefined && isSame(target) ? (await ask(target)).document : document;
}

/** The HTML of a page that is complete, at least up to the end of its article. */
export function openHtml({ body, contentType }: Reply): string {
  const text = new TextDecoder('utf-8').decode(body);
  const isPage = /<(?:!doctype\s+html|html|head|body|article)\b/i.test(text.slice(0, HTML_START));
  const isNamedSo = contentType === '' || /\bx?html\b/.test(contentType);
  if (!isPage || !isNamedSo)
    throw new InvalidResponseError('arXiv sent something other than a web page.');
  if (!/<\/(?:html|body|article)\s*>/i.test(text))
    throw new InvalidResponseError('arXiv sent an incomplete web page.');
  return text;
}

export function openPdf({ body }: Reply): Uint8Array {
  const start = body.subarray(0, PDF_START).toString('latin1');
  if (!start.includes('%PDF-'))
    throw new InvalidResponseError('arXiv sent something other than a PDF.');
  // Copy: PDF readers may transfer the memory, and a Buffer's can be shared.
  return new Uint8Array(body);
}
