import type { Database } from 'better-sqlite3';
import type { Preference } from './filter.ts';
import type { Match } from './match.ts';

/**
 * What a card must have of the best score to be related to the question: on the train half, 94 % of the
 * relevant papers have that with the model, and one in seven of the others.
 */
const RELATED = 0.4;
/** What sets the last of the leaders before the first of the others. */
const STEP = 1e-6;
/** The first so many regardless of missing details are among so many in the end. */
const KEPT = { regardless: 3, among: 5 };

/** Cards that a question would rather have. */
export interface Preferred {
  /** What they gain in score; those that gain nothing are left out. */
  boosts: ReadonlyMap<number, number>;
  /** Those that come first if they are related to the question. */
  leading: ReadonlySet<number>;
}

/** The candidates that are preferred. */
export function findPreferred(
  db: Database,
  candidates: readonly number[],
  preferences: readonly Preference[],
): Preferred {
  const boosts = new Map<number, number>();
  const leading = new Set<number>();
  for (const { filter, boost, leads = false } of preferences) {
    const ids = db
      .prepare<object, number>(`
        SELECT ${filter.id} FROM ${filter.from}
        WHERE ${filter.id} IN (SELECT value FROM json_each(@candidates)) AND (${filter.where})`)
      .pluck()
      .all({ ...filter.params, candidates: JSON.stringify(candidates) });
    for (const id of ids) {
      boosts.set(id, (boosts.get(id) ?? 0) + boost);
      if (leads) leading.add(id);
    }
  }
  return { boosts, leading };
}

/**
 * The ranking with all leaders that are related to the question before the others: their scores rise by
 * as much as the last of them lacks. `plain` is the ranking without preferences.
 */
export function putLeadersFirst(
  final: readonly Match[],
  plain: readonly Match[],
  leading: ReadonlySet<number>,
): Match[] {
  const least = RELATED * (plain[0]?.score ?? 0);
  const related = new Set(plain.flatMap(({ id, score }) => (score >= least ? id : [])));
  const isLeader = ({ id }: Match) => leading.has(id) && related.has(id);
  const leaders = final.filter(isLeader);
  const others = final.filter((match) => !isLeader(match));
  const gap = (others[0]?.score ?? 0) - (leaders.at(-1)?.score ?? 0);
  const lift = gap < 0 ? 0 : gap + STEP;
  return [...leaders.map((match) => ({ ...match, score: match.score + lift })), ...others];
}

/**
 * Missing details, each of which has cost so much, set near twins in order but should not bury the
 * subject: the first few regardless of them stay among those that a reader looks at.
 */
export function keepSubject(final: readonly Match[], cost: number): readonly Match[] {
  const kept = new Set(
    final
      .toSorted((a, b) => b.score - a.score + cost * (b.missingDetails - a.missingDetails))
      .slice(0, KEPT.regardless),
  );
  const last = final.filter((match) => !kept.has(match))[KEPT.among - KEPT.regardless];
  if (last === undefined) return final;
  const place = final.indexOf(last);
  const below = final.slice(place);
  return [
    ...final.slice(0, place),
    ...below.flatMap((match) => (kept.has(match) ? { ...match, score: last.score } : [])),
    ...below.filter((match) => !kept.has(match)),
  ];
}
