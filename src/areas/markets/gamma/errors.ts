export type GammaRefusalCode = 'bad_question' | 'not_there';

const WORDS: Readonly<Record<GammaRefusalCode, string>> = {
  bad_question: 'Polymarket does not take the question.',
  not_there: 'Polymarket has nothing under this address.',
};

/**
 * Polymarket understood the request and declines it; the same request will bring the same answer.
 * The message is ours: without a word of Polymarket's.
 */
export class GammaRefusal extends Error {
  override readonly name = 'GammaRefusal';
  readonly code: GammaRefusalCode;

  constructor(code: GammaRefusalCode) {
    super(WORDS[code]);
    this.code = code;
  }
}
