import type { Context } from '../src/core/context.ts';

/** What a context holds besides the shelf: no network, and nobody who listens. */
export const offline: Pick<Context, 'freshenPaper' | 'policy' | 'report'> = {
  freshenPaper: async () => 'offline',
  policy: 'personal',
  report: () => {},
};
