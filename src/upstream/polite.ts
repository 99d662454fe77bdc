/** What an upstream answered, whole. */
export interface Reply {
  status: number;
  /** Media type in lower case without parameters; '' where none was named. */
  contentType: string;
  /** Target of a redirect, absolute. Redirects are never followed. */
  location: string | undefined;
  /** Decompressed. */
  body: Buffer;
}

/** Thrown by a reader: this answer cannot be right, and the same request may soon bring a better one. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

export interface PoliteRequest<T> {
  /**
   * Statuses besides 200 that mean something to `read`. Of all others, 406, 429 and 5xx are tried
   * again, the rest fails at once.
   */
  statuses?: readonly number[];
  /**
   * Makes the result. A InvalidResponseError has the request repeated like one that met a passing fault;
   * anything else that it throws is passed on.
   */
  read(reply: Reply): T;
  /** A body of more (compressed or not) is refused. */
  maxBytes: number;
  /** Least time since the last request to any host of this upstream began, in milliseconds. */
  intervalMs: number;
  signal?: AbortSignal | undefined;
}

/** A client that keeps one upstream's pauses, whoever else on this machine talks to it. */
export interface PoliteClient {
  /**
   * Rejects with an HttpError when the request failed for good, with the last InvalidResponseError when every
   * try brought one, or with the signal's reason.
   */
  get<T>(url: string, request: PoliteRequest<T>): Promise<T>;
  close(): Promise<void>;
}
