import type { Database } from 'better-sqlite3';
import { InvalidResponseError, RejectedRequestError } from '../../upstream/errors.ts';
import { recordTagCheck } from './pull-log-ingest.ts';
import { listRuleSlugs } from './scope.ts';
import { MAIN_TAGS } from './sources/gamma-lists.ts';
import type { PolymarketSource } from './sources/polymarket.ts';
import { readTagCheck } from './sync-queries.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Checks once a week that Polymarket still knows the tags of our lists, and the main ones by id: a
 * renamed tag no longer includes or excludes events. Returns the unknown tags, as texts for users, and
 * stores them for `status`; null when the check is not due. Rejects like the source; the next pull
 * then repeats the check.
 */
export async function checkTags(options: {
  db: Database;
  source: PolymarketSource;
  now: () => Date;
  signal?: AbortSignal | undefined;
}): Promise<string[] | null> {
  const { db, source, now, signal } = options;
  const { checkedAt } = readTagCheck(db);
  const age = now().getTime() - (checkedAt ?? 0);
  if (checkedAt !== null && age >= 0 && age < WEEK_MS) return null;
  const ids = new Map(MAIN_TAGS.map(({ slug, id }) => [slug, id]));
  const slugs = [...new Set([...ids.keys(), ...listRuleSlugs()])];
  const unknown: string[] = [];
  for (const slug of slugs) {
    const id = ids.get(slug);
    const found = await findTagId(source, slug, signal);
    if (found === null) unknown.push(slug);
    else if (id !== undefined && found !== id) unknown.push(`${slug} (no longer number ${id})`);
  }
  if (unknown.length === slugs.length)
    throw new InvalidResponseError('Polymarket knows none of our tags.');
  recordTagCheck(db, unknown, now());
  return unknown;
}

async function findTagId(
  source: PolymarketSource,
  slug: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    return await source.findTag(slug, signal);
  } catch (error) {
    if (error instanceof RejectedRequestError) return null;
    throw error;
  }
}
