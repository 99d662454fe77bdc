/** A complete response. */
export interface Reply {
  status: number;
  /** Decompressed. */
  body: Buffer;
}

export interface GetRequest<T> {
  /**
   * Statuses besides 200 that `read` understands. Of the others, 406, 429 and 5xx are retried and
   * the rest fails at once.
   */
  statuses?: readonly number[];
  /**
   * Parses the response. An InvalidResponseError causes a retry; any other error is passed on.
   */
  read(reply: Reply): T | Promise<T>;
  /** Limit of the body, before and after decompression. */
  maxBytes: number;
  /** Minimum time since the last request to any host of this upstream began, in milliseconds. */
  intervalMs: number;
  /** Sent as the body of a POST: a query, since a retry sends it again. */
  json?: unknown;
  signal?: AbortSignal | undefined;
}

/** What a server says of a version of a file. */
export interface Validators {
  etag: string | null;
  /** As the header gives it. */
  lastModified: string | null;
}

interface DownloadOptions {
  maxBytes: number;
  /** Of the copy held: a file that has not changed since is not sent again. */
  validators?: Validators | undefined;
  /**
   * Domains to which the host of the URL may redirect, their subdomains included, besides itself; none
   * by default.
   */
  redirectDomains?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  /** Receives the bytes so far, which restart at 0 with every retry. */
  onProgress?: ((received: number) => void) | undefined;
}

/**
 * The client of one upstream. Failed connections, timeouts, truncated bodies, 406, 429 and 5xx are
 * retried; a Retry-After is honoured or the request fails. Calls reject with an HttpError or with
 * the signal's reason.
 */
export interface HttpClient {
  /**
   * Requests `url` without following redirects. Also rejects with the last InvalidResponseError if
   * the retries do not help.
   */
  get<T>(url: string, request: GetRequest<T>): Promise<T>;
  /**
   * Streams `url` into the file at `path`, replacing its content, and returns the size, or null where
   * the stored copy is still current. Follows redirects within the scheme of `url`. Also rejects with file
   * system errors. After a failure the
   * content of the file is undefined; the caller removes it.
   */
  download(
    url: string,
    path: string,
    options: DownloadOptions,
  ): Promise<Validators & { bytes: number | null }>;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** The User-Agent header; `contact` is an address or a URL at which we can be reached. */
export function userAgent(version: string, contact?: string): string {
  return contact === undefined ? `quantshelf/${version}` : `quantshelf/${version} (+${contact})`;
}

/** Paces the requests to an upstream. `store/rate-limiter.ts` has one that all processes share. */
export interface RateLimiter {
  /**
   * Runs `work` alone, at least `intervalMs` milliseconds after the last start and not before a
   * block ends. Aborting `signal` ends the wait with its reason, but does not interrupt `work`.
   */
  run<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Blocks all runs for `ms` milliseconds, unless a longer block is already in force. */
  blockFor(ms: number): void;
  /** Milliseconds until the block ends; 0 when there is none. */
  retryAfter(): number;
}

/** For an upstream without a rate limit. */
export const UNLIMITED: RateLimiter = {
  run: (_, work) => work(),
  blockFor() {},
  retryAfter: () => 0,
};
