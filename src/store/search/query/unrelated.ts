import type { Verdict } from '../../../core/envelope.ts';

/** Enough for most answers that are misjudged: of eight on the train halves, seven are among them. */
const NEAREST = 3;
/** The default of both searches. */
const USUAL = 5;

/**
 * The cards to return and a clause on those left out: where nothing seems related, five would fill the
 * caller's context with noise. Whoever asks for more than the usual number gets it.
 */
export function withoutUnrelated<T>(
  found: readonly T[],
  { verdict, limit }: { verdict: Verdict; limit: number },
  { cards, argument }: { cards: string; argument: string },
): { nearest: T[]; notice: string } {
  const isCut = verdict === 'none' && limit <= USUAL && found.length > NEAREST;
  return {
    nearest: found.slice(0, isCut ? NEAREST : limit),
    notice: isCut
      ? `Nothing seems related, so only the nearest ${NEAREST} ${cards} are returned: ${argument} above ${USUAL} returns more.`
      : '',
  };
}
