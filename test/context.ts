import type { Context } from '../src/core/context.ts';

/** What a context holds besides the shelf: no network, and nobody who listens. */
export const offline: Pick<
  Context,
  | 'isWord'
  | 'addPaper'
  | 'freshenPaper'
  | 'freshenSeries'
  | 'refreshMarkets'
  | 'policy'
  | 'report'
  | 'replyLimit'
  | 'signal'
> = {
  isWord: async () => false,
  addPaper: async () => 'offline',
  freshenPaper: async () => 'offline',
  freshenSeries: async () => 'offline',
  refreshMarkets: () => null,
  policy: 'personal',
  report: () => {},
  replyLimit: 90_000,
  signal: new AbortController().signal,
};
