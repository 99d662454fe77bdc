/**
 * arXiv rejected a request; repeating it will not help. The message is ours and contains none of
 * arXiv's words.
 */
export class ArxivRequestError extends Error {
  override readonly name = 'ArxivRequestError';
  /** 'incorrect_id', 'looping_token', an OAI-PMH error code such as 'badArgument', or 'other'. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The resumption token has expired: the list must be restarted. */
export class TokenExpired extends Error {
  override readonly name = 'TokenExpired';

  constructor() {
    super('The arXiv resumption token has expired.');
  }
}
