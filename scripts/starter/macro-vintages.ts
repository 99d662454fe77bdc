import { INDICATOR_OF, type Indicator } from '../../src/areas/macro/facts/indicators.ts';
import { recordedDays } from '../../src/areas/macro/facts/release-days.ts';
import {
  estimatePublication,
  isNeverRevised,
  lastBusinessDay,
  listReleaseDays,
  listRevisions,
  nextRelease,
  type Released,
  secondRelease,
} from '../../src/areas/macro/facts/releases.ts';
import {
  compareVintages,
  decimalsOf,
  isRounding,
  type Vintage,
} from '../../src/areas/macro/facts/vintages.ts';
import { shiftDay } from '../../src/core/time.ts';
import type { Block, SeriesFile } from './macro.ts';

/**
 * The vintages of a series, by date, oldest first: the changes in its blocks, and the figures of its copy, as
 * seen on one day. Throws an Error if the two conflict.
 */
export function chainVintages(
  row: Indicator,
  file: SeriesFile,
  blocks: readonly Block[],
): Vintage[] {
  const chain = new Chain(row);
  const later = blocks.filter(({ day }) => day > file.known);
  const touched = new Set(
    blocks
      .filter(({ day }) => day >= file.known)
      .flatMap(({ figures }) => figures.map(({ date }) => date)),
  );
  for (const block of blocks) if (block.day <= file.known) chain.add(block);
  chain.endOthers(file);
  chain.add(
    {
      sign: '?',
      day: file.known,
      units: row.units,
      figures: file.figures.filter(({ date }) => !touched.has(date)),
    },
    file.taken,
  );
  for (const block of later) chain.add(block);
  for (const { date, value } of file.figures) {
    if (chain.current.get(date)?.value === value) continue;
    throw new Error(`${row.series_id}: ${date} does not fit its vintages`);
  }
  return chain.finish();
}

class Chain {
  rows: Vintage[] = [];
  current = new Map<string, Vintage>();
  /** For each figure in a "~" block, the day of the block before. */
  readonly #earlier = new Map<Vintage, string>();
  /** Figures that a copy has with more decimals. */
  readonly #rounded = new Set<Vintage>();
  /** Days of the last block and of the last one before that day. */
  #day = '';
  #last = '';
  readonly #row: Indicator;
  readonly #series: { seriesId: string; frequency: string };

  constructor(row: Indicator) {
    this.#row = row;
    this.#series = { seriesId: row.series_id, frequency: row.frequency };
  }

  /** `until` is the day by which all figures of a "?" block were out. */
  add({ sign, day, units, figures }: Block, until = day): void {
    if (figures.length > 0) this.#begin(day);
    const decimals = decimalsOf(
      [...this.current.values()].filter((each) => !each.units && each.knownFrom < day),
    );
    for (const { date, value } of figures) {
      const before = this.current.get(date);
      if (value === undefined) this.#end(date, day);
      else if (sign === '?') this.#see(date, value, { day, until, decimals });
      else if (before?.value !== value || (before.units ?? this.#row.units) !== units) {
        this.#end(date, day);
        const vintage: Vintage = {
          date,
          value,
          rtStart: day,
          rtEnd: null,
          exact: sign === '=' ? 1 : 0,
          knownFrom: day,
          units: units === this.#row.units ? null : units,
        };
        if (sign === '~') this.#earlier.set(vintage, this.#last);
        this.#push(vintage);
      }
    }
  }

  /** Changes that appeared on one day may be in several blocks. */
  #begin(day: string): void {
    if (day <= this.#day) return;
    this.#last = this.#day;
    this.#day = day;
  }

  /** Dates current figures by their release if only a day by which they were out is known. */
  finish(): Vintage[] {
    for (const [vintage, last] of this.#earlier) {
      const isCurrent = vintage.rtEnd === null || this.#rounded.has(vintage);
      if (isCurrent) vintage.rtStart = this.#estimate(vintage, last);
    }
    return this.rows.sort(compareVintages);
  }

  /** An estimate of the publication day that is after `last`, the day of the block before. */
  #estimate({ date, knownFrom: day }: Vintage, last: string): string {
    const published = estimatePublication(this.#series, date, day);
    if (published > last) return published;
    const next = nextRelease({ ...this.#series, observationEnd: date }, shiftDay(last, 1));
    return next !== undefined && next.date <= day ? next.date : lastBusinessDay(day);
  }

  /** Ends figures that the copy lacks: nothing is known about them after the last block. */
  endOthers({ figures, known }: SeriesFile): void {
    this.#begin(known);
    const dates = new Set(figures.map(({ date }) => date));
    for (const date of this.current.keys()) {
      if (!dates.has(date)) this.#end(date, firstRevisionAfter(this.#series, date, this.#last));
    }
  }

  #see(
    date: string,
    value: number | null,
    { day, until, decimals }: { day: string; until: string; decimals: number },
  ): void {
    const series = this.#series;
    const before = this.current.get(date);
    if (before !== undefined && before.value === value && !before.units) return;
    const published = estimatePublication(series, date, until);
    const seen = { date, value, rtEnd: null, units: null };
    if (before === undefined) {
      const released = firstReleaseSeen(series, date, until);
      // An estimate says when a figure came out, not that it has not been revised since.
      const knownFrom = isNeverRevised(series.seriesId) || published > day ? published : day;
      this.#push({
        ...seen,
        ...(released === undefined
          ? { rtStart: published, exact: 0, knownFrom }
          : { rtStart: released, exact: 1, knownFrom: released }),
      });
      return;
    }
    const isRounded = !before.units && isRounding(before.value, value, decimals);
    if (isRounded) this.#rounded.add(before);
    const replaced = isRounded ? day : firstRevisionAfter(series, date, this.#last);
    this.#end(date, replaced < day ? replaced : day);
    const isKnown = !isRounded && published > this.#last;
    this.#push({
      ...seen,
      exact: 0,
      knownFrom: day,
      rtStart: isKnown ? published : lastBusinessDay(day),
    });
  }

  #end(date: string, day: string): void {
    const before = this.current.get(date);
    if (before === undefined) return;
    if (before.knownFrom >= day) throw new Error(`${this.#row.series_id}: ${date} twice on ${day}`);
    before.rtEnd = shiftDay(day, -1);
    this.current.delete(date);
  }

  #push(vintage: Vintage): void {
    this.rows.push(vintage);
    this.current.set(vintage.date, vintage);
  }
}

/**
 * The first day after `after` on which a value of a period may have been replaced: by a release known to
 * republish it, or else by any.
 */
function firstRevisionAfter(series: Released, date: string, after: string): string {
  const isScheduled = (INDICATOR_OF.get(series.seriesId)?.lag_days.length ?? 0) > 1;
  const scheduled = isScheduled
    ? [...listReleaseDays(series, date), ...listRevisions(series.seriesId, date)]
    : [];
  const next = nextRelease({ ...series, observationEnd: date }, shiftDay(after, 1));
  return scheduled.filter((day) => day > after).sort()[0] ?? next?.date ?? shiftDay(after, 1);
}

/** The recorded day of a first release, if nothing has republished the period by `until`. */
function firstReleaseSeen(series: Released, date: string, until: string): string | undefined {
  const release = INDICATOR_OF.get(series.seriesId)?.release ?? '';
  const recorded = recordedDays(release, series.frequency, date);
  if (recorded?.status !== 'seen') return undefined;
  const [day = ''] = recorded.days;
  return day <= until && until < secondRelease(series, date) ? day : undefined;
}
