import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readStarterMacro } from '../../../../scripts/starter/macro.ts';
import { iterateKnown } from '../../../../src/areas/macro/as-of.ts';
import { isBusinessDay } from '../../../../src/areas/macro/facts/calendar.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { starterMacro, starterStore } from '../../../starter.ts';

describe('the bundled macro figures', async () => {
  const { catalogue, series } = await starterMacro();

  it('never have a publication date after the day they were taken', () => {
    expect(series).toHaveLength(51);
    const late = series.flatMap(({ taken, observations }) =>
      observations.filter(({ published }) => published > taken),
    );
    expect(late).toEqual([]);
  });

  it('have no estimated publication on a weekend or, except in 1959, on a federal holiday', () => {
    const days = new Set(
      series
        .flatMap(({ observations }) => observations.filter(({ exact }) => !exact))
        .map(({ published }) => published),
    );
    // The Employment Situation of October 1959 did come out on Veterans Day.
    days.delete('1959-11-11');
    expect([...days].filter((day) => !isBusinessDay(day))).toEqual([]);
  });

  it('have vintages whose changes over a year resemble those of the current figures', async () => {
    const db = new Database(await starterStore(), { readonly: true });
    onTestFinished(() => void db.close());
    const valuesOf = (id: string, asOf?: string) => {
      const rows = iterateKnown(db, id, { asOf, vintages: false, strict: false });
      return new Map([...rows].map(({ date, value }) => [date, value]));
    };
    const checked = catalogue.flatMap(({ series_id: id }) => {
      const [then, today] = [valuesOf(id, '2024-03-20'), valuesOf(id)];
      const yearly = (values: Map<string, number | null>, date: string) =>
        (values.get(date) ?? 0) / (values.get(`${+date.slice(0, 4) - 1}${date.slice(4)}`) ?? 0) - 1;
      const moves = [...then.keys()]
        .filter((date) => date > '1990')
        .map((date) => [yearly(then, date), yearly(today, date)] as const)
        .filter((pair) => pair.every((move) => Number.isFinite(move) && move > -1));
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + Math.abs(b), 0);
      const apart = sum(moves.map(([a, b]) => a - b)) / sum(moves.map(([, b]) => b));
      return moves.length === 0 ? [] : [{ id, apart }];
    });
    expect(checked.length).toBeGreaterThan(20);
    expect(checked.filter(({ apart }) => apart > 0.1)).toEqual([]);
  });

  it.each([
    // From the vintages.
    ['CPIAUCSL', '2026-06-01', '2026-07-14', true],
    ['CPILFESL', '2026-06-01', '2026-07-14', true],
    // Before them.
    ['CIVPART', '2020-01-01', '2020-02-07', false],
    // After the federal shutdown.
    ['A191RL1Q225SBEA', '2025-07-01', '2026-01-22', false],
    ['PCEPI', '2025-10-01', '2026-01-22', false],
    ['CIVPART', '2025-09-01', '2025-11-20', false],
    ['JTSJOL', '2025-10-01', '2026-01-07', false],
    ['HSN1F', '2025-09-01', '2026-01-13', false],
    ['ICSA', '2025-10-25', '2025-11-20', false],
    // A copy of GDP taken on 28 May 2026: 1.6 % is its second estimate; 3.8 % was the third, after 3.0 % in July.
    ['A191RL1Q225SBEA', '2026-01-01', '2026-05-28', false],
    ['A191RL1Q225SBEA', '2025-04-01', '2025-09-25', false],
    // Recorded vintages have one decimal, so these figures are known from the copy on.
    ['GDPC1', '1990-01-01', '2026-05-28', false],
  ])('of %s for %s were published on %s (exact: %s)', (id, date, published, exact) => {
    const { observations = [] } = series.find(({ seriesId }) => seriesId === id) ?? {};
    expect(observations.find((each) => each.date === date)).toMatchObject({ published, exact });
  });

  it('include every month or quarter from first to last, with null for missing ones', () => {
    const missing = series.flatMap(({ seriesId, observations }) =>
      observations.filter(({ value }) => value === null).map(({ date }) => [seriesId, date]),
    );
    for (const id of ['CPIAUCSL', 'CPILFESL', 'UNRATE', 'CIVPART']) {
      expect(missing).toContainEqual([id, '2025-10-01']);
    }
    for (const { seriesId, observations } of series) {
      const row = catalogue.find(({ series_id }) => series_id === seriesId);
      const step =
        row?.frequency === 'Monthly' ? 1 : row?.frequency === 'Quarterly' ? 3 : undefined;
      const [first, last] = [observations[0]?.date, observations.at(-1)?.date];
      if (step === undefined || first === undefined || last === undefined) continue;
      const months =
        12 * (+last.slice(0, 4) - +first.slice(0, 4)) + +last.slice(5, 7) - +first.slice(5, 7);
      expect(observations.length, seriesId).toBe(months / step + 1);
    }
  });
});

it('the bundle refuses a copyrighted series', () => {
  const copy = mkdtempSync(join(tmpdir(), 'macro-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync('data/starter/macro/DGS10.txt', join(copy, 'starter', 'macro', 'VIXCLS.txt'));
  expect(() => readStarterMacro(copy)).toThrow(/VIXCLS\.txt: a copyrighted series/);
});
