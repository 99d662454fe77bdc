/**
 * arXiv understood the request and declines it; the same request will bring the same answer.
 * The message is ours, without a word of arXiv's.
 */
export class ArxivRequestError extends Error {
  override readonly name = 'ArxivRequestError';
  /** 'incorrect_id', 'looping_token', an error code of OAI-PMH such as 'badArgument', or 'other'. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The resumption token is no longer good: the list has to be asked for from its beginning. */
export class TokenExpired extends Error {
  override readonly name = 'TokenExpired';

  constructor() {
    super('arXiv no longer knows this resumption token.');
  }
}
