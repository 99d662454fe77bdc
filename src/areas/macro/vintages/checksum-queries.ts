import type { Database } from 'better-sqlite3';
import { checksumOf, damagedError } from '../../../core/checksum.ts';

/** What a checksum covers, in this order. */
export type SealedValue = [
  date: string,
  rtStart: string,
  rtEnd: string | null,
  value: number | null,
  exact: 0 | 1,
];

/** The checksum of a value of a series; what follows the value in its row is left out. Frozen: stores hold it. */
export function valueChecksum(
  seriesId: string,
  [date, rtStart, rtEnd, value, exact]: readonly [...SealedValue, ...rest: unknown[]],
): number {
  return checksumOf(`${seriesId}|${date}|${rtStart}|${rtEnd}|${value}|${exact}`);
}

/** Throws, for the caller of an operation, where a value contradicts its checksum. */
export function expectSound(
  seriesId: string,
  value: readonly [...SealedValue, ...rest: unknown[]],
  checksum: number,
): void {
  if (checksum === valueChecksum(seriesId, value)) return;
  throw damagedError(`The figures of ${seriesId} are damaged`, 'quantshelf sync macro');
}

/** The series that hold damaged values, and how many. Reads all of them. */
export function listDamagedSeries(db: Database): { seriesId: string; values: number }[] {
  const read = db
    .prepare<{ seriesId: string }, [...SealedValue, checksum: number]>(`
      SELECT date, rt_start, rt_end, value, exact, checksum FROM macro_vintage
      WHERE series_id = @seriesId`)
    .raw();
  return db
    .prepare<[], string>('SELECT DISTINCT series_id FROM macro_vintage')
    .pluck()
    .all()
    .flatMap((seriesId) => {
      let values = 0;
      for (const row of read.iterate({ seriesId })) {
        if (row[5] !== valueChecksum(seriesId, row)) values += 1;
      }
      return values === 0 ? [] : [{ seriesId, values }];
    });
}
