import type { Area } from './area.ts';
import type { HeldShelf } from './context.ts';
import { type Caller, type Failed, type OpenShelf, requireScope, toFailure } from './run.ts';

/** What is asked for: its name for the log and for refusals, and the area whose scope it needs; null for none. */
export interface Subject {
  name: string;
  area: Area | null;
}

export type Reading<T> = { ok: true; value: T } | Failed;

/** `readShelf` with the shelf that is served. */
export type ReadShelf = <T>(
  subject: Subject,
  read: (shelf: HeldShelf) => T | Promise<T>,
) => Promise<Reading<T>>;

/**
 * The only way from a door to what is held beside the operations: scope, then the reading. Free of
 * charge. Never throws.
 */
export async function readShelf<T>(
  subject: Subject,
  read: (shelf: HeldShelf) => T | Promise<T>,
  { open, log, requestId = crypto.randomUUID() }: Pick<Caller, 'open' | 'log' | 'requestId'>,
): Promise<Reading<T>> {
  let shelf: OpenShelf | undefined;
  try {
    shelf = await open();
    const { account, context } = shelf;
    requireScope(subject, account);
    const { db, now, policy } = context;
    const { scopes } = account;
    const content = { db, now, policy, ...(scopes === undefined ? {} : { scopes }) };
    return { ok: true, value: await read(content) };
  } catch (cause) {
    const { account, home } = shelf ?? {};
    return toFailure(cause, { requestId, name: subject.name, account, home, log });
  }
}
