export type GammaErrorCode = 'bad_question' | 'not_there';

const MESSAGES: Readonly<Record<GammaErrorCode, string>> = {
  bad_question: 'Polymarket rejected the request.',
  not_there: 'Polymarket has nothing at this address.',
};

/**
 * Polymarket rejected a request; repeating it will not help. The message is ours and contains none
 * of Polymarket's words.
 */
export class GammaRequestError extends Error {
  override readonly name = 'GammaRequestError';
  readonly code: GammaErrorCode;

  constructor(code: GammaErrorCode) {
    super(MESSAGES[code]);
    this.code = code;
  }
}
