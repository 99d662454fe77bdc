import { cardIdOfName } from '../../core/card-id.ts';

const ALIAS = /^pme_([1-9]\d{0,11})$/;

/** The event_card_id of an event, from its Polymarket id. */
export function cardIdOf(eventId: number): string {
  return cardIdOfName(`polymarket:event:${eventId}`);
}

/** The short alias of an event, which read also accepts. */
export function aliasOf(eventId: number): string {
  return `pme_${eventId}`;
}

/** The Polymarket id in an alias; null for any other text. */
export function parseAlias(text: string): number | null {
  const digits = ALIAS.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function marketCardIdOf(marketId: number): string {
  return `pmm_${marketId}`;
}

/** The URI of an event's own resource, which a host can keep and read again. */
export function eventUri(alias: string): string {
  return `quantshelf://event/${alias}`;
}
