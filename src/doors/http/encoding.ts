import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';

/** Shorter bodies gain nothing. */
const MIN_BYTES = 1_024;

/** In order of preference. Quality 4 of Brotli takes the time of gzip and compresses better. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const compressBrotli = promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress);
const ENCODERS: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) => compressBrotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<Uint8Array, Buffer>(gzip),
};

/**
 * A body as bytes, compressed in the thread pool if it is long and the client takes that, with the
 * header fields that say so. Bytes also because Node reserves three times its length for a string
 * that it sends.
 */
export async function encodeBody(
  body: string,
  acceptEncoding: string | undefined,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const plain = Buffer.from(body);
  const encoding = plain.length < MIN_BYTES ? undefined : chooseEncoding(acceptEncoding);
  const bytes = encoding === undefined ? plain : new Uint8Array(await ENCODERS[encoding](plain));
  return {
    bytes,
    headers: {
      'Content-Length': String(bytes.length),
      ...(plain.length < MIN_BYTES ? {} : { Vary: 'Accept-Encoding' }),
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    },
  };
}

function chooseEncoding(accept: string | undefined): Encoding | undefined {
  const taken = parseAccept(accept ?? '').filter(({ q }) => q > 0);
  const weightOf = (encoding: Encoding) => taken.find(({ type }) => type === encoding)?.q ?? 0;
  const [best] = ENCODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : undefined;
}

const BOTH = ['application/json', 'text/event-stream'];

/**
 * An Accept header as the SDK's older transport reads it, which knows no wildcards: with both of its
 * media types spelled out where the client takes them. No header means that anything is taken.
 */
export function acceptBoth(accept: string | null): string {
  const taken = parseAccept(accept ?? '*/*').filter(({ q }) => q > 0);
  const takes = (type: string) =>
    taken.some(({ type: range }) => ['*/*', type, type.replace(/\/.*/, '/*')].includes(range));
  return BOTH.filter(takes).join(', ');
}
