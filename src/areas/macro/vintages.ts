import { shiftDay } from '../../core/time.ts';

/** One value of one date, with the period for which it was current. */
export interface Vintage {
  /** Start of the observation period as FRED dates it, YYYY-MM-DD. */
  date: string;
  /** Null where the source publishes a missing value. */
  value: number | null;
  /** First day on which the value was published, YYYY-MM-DD. */
  rtStart: string;
  /** Last day on which it was current; null while it is. */
  rtEnd: string | null;
  /** 0 where `rtStart` is an estimate. */
  exact: 0 | 1;
  /** First day on which it is certain to have been current; never before `rtStart`. */
  knownFrom: string;
  /** Of then, such as "Index 1987=100", where they were others than those of the series. */
  units?: string | null;
}

/** Stored dates that a response may drop: so many, or this share. */
const MAX_DROPPED = 5;
const MAX_DROPPED_SHARE = 0.2;

/** Whether a response that lacks `dropped` of the stored dates has lost history. */
export function dropsTooMany(dropped: number, stored: number): boolean {
  return dropped > Math.max(MAX_DROPPED, stored * MAX_DROPPED_SHARE);
}

/**
 * Merges abutting vintages of equal value into one that begins with the oldest: republishing a value
 * is no revision, and rows clipped at a block boundary belong together. `vintages` are sorted by
 * date, then rtStart; those of one date must not overlap.
 */
export function joinRuns(vintages: readonly Vintage[]): Vintage[] {
  const joined: Vintage[] = [];
  for (const vintage of vintages) {
    const last = joined.at(-1);
    if (last !== undefined && continues(last, vintage)) {
      joined[joined.length - 1] = { ...last, rtEnd: vintage.rtEnd };
    } else {
      joined.push(vintage);
    }
  }
  return joined;
}

function continues(older: Vintage, newer: Vintage): boolean {
  return (
    older.date === newer.date &&
    isEqual(older, newer) &&
    older.rtEnd !== null &&
    shiftDay(older.rtEnd, 1) === newer.rtStart
  );
}

/** The same number on the same base. */
function isEqual(a: Vintage, b: Vintage): boolean {
  return a.value === b.value && (a.units ?? null) === (b.units ?? null);
}

type Placed = Pick<Vintage, 'date' | 'rtStart'>;

/** The order of a series: by date, then by time of publication. */
export function compareVintages(a: Placed, b: Placed): number {
  const [one, other] = [a.date + a.rtStart, b.date + b.rtStart];
  return one < other ? -1 : Number(one > other);
}

/** Vintages by their dates, both in the order given. */
export function groupByDate<T extends { date: string }>(vintages: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const vintage of vintages) {
    const group = groups.get(vintage.date);
    if (group === undefined) groups.set(vintage.date, [vintage]);
    else group.push(vintage);
  }
  return groups;
}

/**
 * The vintages of one date that two sources know, in the order in which they became certain. A value that
 * follows its equal is no news. One that ended before the next began leaves a gap.
 */
export function mergeVintages(one: readonly Vintage[], other: readonly Vintage[]): Vintage[] {
  const merged: Vintage[] = [];
  for (const vintage of [...one, ...other].sort((a, b) => (a.knownFrom < b.knownFrom ? -1 : 1))) {
    const last = merged.at(-1);
    if (last && (isEqual(last, vintage) || last.knownFrom === vintage.knownFrom)) {
      if (vintage.rtEnd === null) merged[merged.length - 1] = { ...last, rtEnd: null };
      continue;
    }
    const isAfter = last === undefined || vintage.rtStart > last.knownFrom;
    merged.push(isAfter ? vintage : { ...vintage, rtStart: vintage.knownFrom, exact: 0 });
  }
  return merged.map((vintage, at) => {
    const next = merged[at + 1];
    const end = next && shiftDay(next.rtStart, -1);
    const isLonger = end !== undefined && (vintage.rtEnd === null || vintage.rtEnd > end);
    return isLonger ? { ...vintage, rtEnd: end } : vintage;
  });
}

/** The vintages of one date, in order, each current until the next one. */
function endAtNext(vintages: readonly Vintage[]): Vintage[] {
  return vintages.map((vintage, at) => {
    const next = vintages[at + 1];
    return { ...vintage, rtEnd: next === undefined ? null : shiftDay(next.rtStart, -1) };
  });
}

/** The vintages of one date after an update: those stored before `since`, the update from it on. */
function replaceSince(
  stored: readonly Vintage[],
  update: readonly Vintage[],
  since: string,
): Vintage[] {
  const dayBefore = shiftDay(since, -1);
  const kept = stored
    .filter(({ rtStart }) => rtStart < since)
    .map((vintage) => {
      const isLonger = vintage.rtEnd === null || vintage.rtEnd > dayBefore;
      return isLonger ? { ...vintage, rtEnd: dayBefore } : vintage;
    });
  return joinRuns([...kept, ...update]);
}

/** What a fill makes of the stored vintages, and whether a revision of an agency is among them. */
export function mergeFill(
  stored: readonly Vintage[],
  { since, vintages }: { since: string | null; vintages: readonly Vintage[] },
  { fredEnd, keepsAgency }: { fredEnd: string; keepsAgency: boolean },
): { vintages: Vintage[]; isRevised: boolean } {
  // Repeating the archive's first day does not make its publication dates exact.
  const isFirstDay = since !== null && !stored.some(({ rtStart }) => rtStart < since);
  const isInexact = ({ date, rtStart }: Vintage) => isFirstDay && rtStart === since && date < since;
  const dated = vintages.map((each): Vintage => (isInexact(each) ? { ...each, exact: 0 } : each));
  const [before, updates] = [groupByDate(stored), groupByDate(dated)];
  let isRevised = false;
  const merged = [...new Set([...before.keys(), ...updates.keys()])].flatMap((date) => {
    const update = updates.get(date) ?? [];
    const rows = before.get(date) ?? [];
    const { own, revisions } = keepsAgency ? splitRevisions(rows) : { own: rows, revisions: [] };
    // FRED's own days replace those of the agency that was ahead of it.
    const isKnown = since !== null && date <= fredEnd;
    const after = isKnown ? replaceSince(own, update, since) : update;
    const newest = after.at(-1);
    if (newest === undefined || newest.rtEnd !== null) return after;
    // FRED's later word replaces the revisions, and its older one does not, unless it is the same.
    const later = revisions.filter(({ rtStart }) => rtStart > newest.rtStart);
    if (later.every(({ value }) => value === newest.value)) return after;
    isRevised = true;
    return interleave(after, revisions);
  });
  return { vintages: merged, isRevised };
}

/** FRED dates exactly what follows another value of a date; what does not is the revision of an agency. */
function splitRevisions(rows: readonly Vintage[]): { own: Vintage[]; revisions: Vintage[] } {
  const isRevision = ({ exact }: Vintage, index: number) => index > 0 && exact === 0;
  const revisions = rows.filter(isRevision);
  const own = rows.filter((row, index) => !isRevision(row, index));
  return { own: revisions.length === 0 ? own : endAtNext(own), revisions };
}

/** FRED's vintages of a date and an agency's revisions: of two of one day FRED's, and none that repeats a value. */
function interleave(own: readonly Vintage[], revisions: readonly Vintage[]): Vintage[] {
  const days = new Set(own.map(({ rtStart }) => rtStart));
  const others = revisions.filter(({ rtStart }) => !days.has(rtStart));
  const all = [...own, ...others].sort(compareVintages);
  return endAtNext(
    all.filter(({ exact, value }, at) => exact === 1 || all[at - 1]?.value !== value),
  );
}
