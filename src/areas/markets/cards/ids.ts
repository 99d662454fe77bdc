import { cardIdOfName } from '../../../core/card-id.ts';

const ALIAS = /^pme_([1-9]\d{0,11})$/;

/** The event's id for the source's own. */
export function cardIdOf(eventId: number): string {
  return cardIdOfName(`polymarket:event:${eventId}`);
}

/** The short name of an event that read accepts too. */
export function aliasOf(eventId: number): string {
  return `pme_${eventId}`;
}

/** The source's event id in an alias, or null when it is none. */
export function parseAlias(text: string): number | null {
  const digits = ALIAS.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function marketCardIdOf(marketId: number): string {
  return `pmm_${marketId}`;
}
