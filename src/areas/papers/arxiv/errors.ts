/** The resumption token has expired: the list must be restarted. */
export class TokenExpired extends Error {
  override readonly name = 'TokenExpired';

  constructor() {
    super('The arXiv resumption token has expired.');
  }
}
