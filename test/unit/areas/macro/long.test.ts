import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fetchVintages } from '../../../../src/areas/macro/fred-vintages.ts';
import { storeFill } from '../../../../src/areas/macro/ingest.ts';
import { listRange, listRecent } from '../../../../src/areas/macro/queries.ts';
import { macroMigrations } from '../../../../src/areas/macro/tables.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { makeSeries } from '../../../stand-ins/fred.ts';
import { FredHistory, shift } from '../../../stand-ins/fred-history.ts';
import { fillCatalogue, fillOf, readVintages, shelfOf, valueAsKnownOn, vintage } from './model.ts';
import { startSource } from './start-fred.ts';

const ALWAYS = { start: '0000-01-01', end: '9999-12-31' };

/** A daily rate of 37 years, told anew at every fifth vintage for its last days. */
function longSeries(): { history: FredHistory; dates: number; vintages: number } {
  const history = new FredHistory();
  const first = '1989-07-01';
  const dates = Array.from({ length: 13_500 }, (_, index) => shift(first, index));
  const start = 11_500;
  history.publish(
    dates[start] ?? '',
    Object.fromEntries(dates.slice(0, start).map((d, i) => [d, i])),
  );
  for (let index = start; index < dates.length; index += 1) {
    const day = shift(first, index + 1);
    const changes = Object.fromEntries(
      dates.slice(index - 7, index + 1).map((date, at) => [date, index + at / 10]),
    );
    history.publish(day, changes);
  }
  return { history, dates: dates.length, vintages: start + (dates.length - start) * 8 };
}

describe('a long daily series', () => {
  it('is stored whole, and a day of it is one more request', async () => {
    const { history, dates, vintages } = longSeries();
    const { standIn, source } = await startSource([makeSeries({ history })]);
    const db = shelfOf('TEST');
    const fill = await fetchVintages(source, 'TEST', null);
    expect(fill.vintages).toHaveLength(vintages);
    storeFill(db, fill);
    expect(standIn.requests).toHaveLength(2 + Math.ceil(2_001 / 1_900));
    expect(listRange(db, 'TEST', ALWAYS)).toHaveLength(dates);

    const today = shift(fill.lastVintage, 1);
    history.publish(today, { [fill.lastVintage]: 4.33, [shift(today, -3)]: 4.34 });
    const before = standIn.requests.length;
    const next = await fetchVintages(source, 'TEST', fill.lastVintage);
    expect(standIn.requests).toHaveLength(before + 1);
    storeFill(db, next);
    expect(listRecent(db, 'TEST', 1)).toMatchObject([{ value: 4.33, published: today }]);
    // As text, since matchers take seconds over so many rows.
    const anew = await fetchVintages(source, 'TEST', null);
    expect(JSON.stringify(readVintages(db)) === JSON.stringify(anew.vintages)).toBe(true);
  }, 60_000);
});

describe('a revision in mid-read', () => {
  it('is seen whole or not at all, also from another connection', () => {
    const home = mkdtempSync(join(tmpdir(), 'quantshelf-macro-'));
    const open = () => new Database(join(home, 'shelf.sqlite'));
    const writer = open();
    const reader = open();
    try {
      writer.pragma('journal_mode = WAL');
      migrate(writer, macroMigrations, new Date('2026-11-21T12:00:00Z'));
      fillCatalogue(writer, ['TEST']);
      const dates = Array.from({ length: 3_000 }, (_, index) => shift('2010-01-01', index));
      const all = (value: number, rtStart: string) =>
        dates.map((date) => vintage(date, value, rtStart));
      storeFill(writer, fillOf({ vintages: all(1, '2026-04-03') }));

      const read = reader
        .prepare<[], { value: number }>(`
          SELECT value FROM macro_vintage WHERE rt_end IS NULL ORDER BY date`)
        .iterate();
      const values = [read.next().value?.value];
      const revised = dates.flatMap((date) => [
        vintage(date, 1, '2026-04-03', { rtEnd: '2026-05-07' }),
        vintage(date, 2, '2026-05-08'),
      ]);
      const fill = { since: '2026-04-03', vintages: revised, lastVintage: '2026-05-08' };
      expect(storeFill(writer, fillOf(fill))).toBe(true);
      for (const { value } of read) values.push(value);
      expect(values).toEqual(dates.map(() => 1));
      expect(listRange(reader, 'TEST', ALWAYS).every(({ value }) => value === 2)).toBe(true);
      expect(valueAsKnownOn(reader, 'TEST', '2010-01-01', '2026-05-07')?.value).toBe(1);
    } finally {
      reader.close();
      writer.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
