import { openStore } from '../../src/app/store.ts';
import type { Success } from '../../src/core/envelope.ts';
import type { Operation } from '../../src/core/operation.ts';
import { type OpenShelf, run } from '../../src/core/run.ts';
import { offline } from '../../test/context.ts';

/** Enough for every call. */
const CREDITS = 1_000_000;

/**
 * Calls to the shelf in `home`, without a door and the network, and charged as a server charges them.
 * `starterPath` is installed where there is no shelf. A call that fails throws.
 */
export async function openShelf(
  home: string,
  own: Partial<OpenShelf['context']> = {},
  starterPath = '',
) {
  const now = own.now ?? (() => new Date());
  const { signal } = new AbortController();
  const config = { home, credits: CREDITS };
  const store = await openStore(config, { starterPath, now, log: () => {}, signal });
  const { db, account, hasVectorSearch, close } = store;
  if (!hasVectorSearch) throw new Error('sqlite-vec cannot be loaded');
  const embedQuery = async () => ({ unavailable: 'not needed' });
  const context = { ...offline, now, embedQuery, ...own, db };
  const caller = { open: async () => ({ context, account }), log: () => {} };
  return {
    async call(row: Operation, input: object): Promise<Success> {
      const outcome = await run(row, input, caller);
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.envelope));
      return outcome.envelope;
    },
    close,
  };
}
