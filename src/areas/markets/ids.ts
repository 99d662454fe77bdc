import { v5 } from 'uuid';

/** Fixed for ever: the event ids of every shelf on every machine hang on it. */
const NAMESPACE = '2d1f5a52-0c0e-5b7c-8f0a-7d4c1b9e63a5';
const ALIAS = /^pme_([1-9]\d{0,11})$/;

/** The event's id: UUID v5 of its source id, the same on every machine. */
export function cardIdOf(eventId: number): string {
  return v5(`polymarket:event:${eventId}`, NAMESPACE);
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
