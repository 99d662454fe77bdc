import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach } from 'vitest';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
  predictionMarketEventSearch,
} from '../../../../src/areas/markets/operations.ts';
import { event, makeShelf, put, replyOf } from './shelf.ts';

/** The store of the running test. */
export let db: Database;

/** Gives each test in a file or `describe` its own store, empty by default. */
export function useFreshShelves(make = makeShelf): void {
  beforeEach(() => {
    db = make();
  });
  afterEach(() => db.close());
}

type Options = Parameters<typeof replyOf>[3];

export const browse = (input: object = {}, options?: Options) =>
  replyOf(db, predictionMarketEventBrowse, input, options);
export const search = (input: object, options?: Options) =>
  replyOf(db, predictionMarketEventSearch, input, options);
export const read = (event_card_id = 'pme_100', options?: Options) =>
  replyOf(db, predictionMarketEventRead, { event_card_id }, options);

/** Stores an event for each title, numbered from 1. */
export function putTitled(titles: readonly string[], more: Parameters<typeof event>[0] = {}): void {
  const events = titles.map((title, at) => event({ id: String(at + 1), title, ...more }));
  put(db, events);
}
