import type { Context } from '../src/core/context.ts';
import { WHOLE_REPLY } from '../src/core/reply.ts';

/** The parts of a context besides the shelf: no network, and no listeners. */
export const offline: Omit<Context, 'db' | 'now' | 'embedQuery'> = {
  isWord: async () => false,
  addPaper: async () => 'offline',
  freshenPaper: async () => 'offline',
  freshenSeries: async () => 'offline',
  freshenEvent: async () => 'off',
  refreshMarkets: () => null,
  policy: 'personal',
  report: () => {},
  replySize: WHOLE_REPLY,
  isFirst: () => true,
  signal: new AbortController().signal,
};
