import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkStarterMacro } from '../../../../scripts/starter/check-macro.ts';
import { readStarterMacro } from '../../../../scripts/starter/macro.ts';
import { formatSeries, parseSeries } from '../../../../scripts/starter/macro-text.ts';
import { isBusinessDay } from '../../../../src/areas/macro/agencies/calendar.ts';
import { starterMacro } from '../../../starter.ts';

const DATA_DIR = fileURLToPath(new URL('../../../../data', import.meta.url));
const SHARED_DIR =
  process.env.QUANTSHELF_SHARED_DIR ??
  fileURLToPath(new URL('../../../../../shared', import.meta.url));
const hasShared = existsSync(join(SHARED_DIR, 'data', 'macro'));

describe.skipIf(!hasShared)('the bundled macro figures', () => {
  it('all stand in the recorded copies, without a false jump', () => {
    expect(checkStarterMacro(DATA_DIR, SHARED_DIR)).toEqual([]);
  });
});

describe('reading the bundled macro figures', () => {
  const { series, vintages } = starterMacro();

  it('never finds a date of publication later than the day of taking', () => {
    expect(series).not.toEqual([]);
    const late = series.flatMap(({ taken, observations }) =>
      observations.filter(({ published }) => published > taken),
    );
    expect(late).toEqual([]);
  });

  it('holds figures of 50 series', () => {
    expect(series).toHaveLength(50);
  });

  it('estimates no publication on a weekend or a federal holiday', () => {
    const odd = series.flatMap(({ observations }) =>
      observations.filter(({ exact, published }) => !exact && !isBusinessDay(published)),
    );
    expect(odd).toEqual([]);
  });

  const observationOf = (id: string, date: string) =>
    series.find(({ seriesId }) => seriesId === id)?.observations.find((o) => o.date === date);
  const dayOf = (id: string, date: string) => {
    const { published, exact } = observationOf(id, date) ?? {};
    return { published, exact };
  };

  it('knows a day of publication from another series of the same release', () => {
    expect(dayOf('CPIAUCSL', '2026-06-01')).toEqual({ published: '2026-07-14', exact: true });
    expect(dayOf('CPILFESL', '2026-06-01')).toEqual({ published: '2026-07-14', exact: true });
    // The third figure of a month of payrolls is the last; the copy of the earnings is younger.
    expect(dayOf('CES0500000003', '2026-03-01')).toEqual({ published: '2026-06-05', exact: false });
    // Nothing is known of releases before the daily pulls began.
    expect(dayOf('CPILFESL', '2020-01-01')).toEqual({ published: '2020-02-13', exact: false });
  });

  it('takes no day as exact from a series whose release came again before the copy', () => {
    expect(dayOf('PSAVERT', '2026-06-01')).toEqual({ published: '2026-07-30', exact: false });
    expect(dayOf('CES0500000003', '2026-07-01')).toMatchObject({ exact: false });
  });

  it('dates a copy of GDP by its values, and no value before the release that brought it', () => {
    for (const id of ['GDPC1', 'A191RL1Q225SBEA']) {
      expect(series.find(({ seriesId }) => seriesId === id)?.taken).toBe('2026-05-28');
    }
    expect(observationOf('A191RL1Q225SBEA', '2026-01-01')).toMatchObject({
      ...{ value: 1.6, published: '2026-05-28' },
    });
    // The advance estimate of July was 3.0.
    expect(observationOf('A191RL1Q225SBEA', '2025-04-01')).toMatchObject({
      ...{ value: 3.8, published: '2025-09-25', exact: false },
    });
    // Prices of 2017 have been the base since this day.
    expect(dayOf('GDPC1', '1990-01-01').published).toBe('2023-09-28');
  });

  it.each([
    ['A191RL1Q225SBEA', '2025-07-01', '2026-01-22'],
    ['PCEPI', '2025-10-01', '2026-01-22'],
    ['CIVPART', '2025-09-01', '2025-11-20'],
    ['JTSJOL', '2025-10-01', '2026-01-07'],
    ['HOUST', '2025-09-01', '2026-01-09'],
    ['ICSA', '2025-10-25', '2025-11-20'],
  ])('knows when %s of %s came out after the federal shutdown', (id, date, day) => {
    expect(dayOf(id, date)).toEqual({ published: day, exact: false });
  });

  it('has every month between the first and the last, null where it is missing', () => {
    const missing = series.flatMap(({ seriesId, observations }) =>
      observations.filter(({ value }) => value === null).map(({ date }) => [seriesId, date]),
    );
    for (const id of ['CPIAUCSL', 'CPILFESL', 'UNRATE', 'CIVPART']) {
      expect(missing).toContainEqual([id, '2025-10-01']);
    }
    const { catalogue } = starterMacro();
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

  it('keeps the true sequence of a revised value', () => {
    const march = vintages.filter(
      (vintage) => vintage.seriesId === 'PAYEMS' && vintage.date === '2026-03-01',
    );
    expect(march.map((v) => [v.value, v.published, v.superseded])).toEqual([
      [158637, '2026-04-03', '2026-05-08'],
      [158621, '2026-05-08', '2026-06-05'],
      [158650, '2026-06-05', null],
    ]);
  });

  it('writes what it reads', () => {
    for (const id of ['PAYEMS', 'RRPONTSYD', 'DFF', 'ICSA', 'GDPC1']) {
      const text = readFileSync(join(DATA_DIR, 'starter', 'macro', `${id}.txt`), 'utf8');
      expect(formatSeries(parseSeries(text, id))).toBe(text);
    }
  });
});

/** A copy of the data, cut down to one series so that reading it again and again is quick. */
function copyData(): string {
  const copy = mkdtempSync(join(tmpdir(), 'macro-'));
  const folder = join('starter', 'macro');
  mkdirSync(join(copy, folder), { recursive: true });
  for (const name of ['indicators.json', join(folder, 'PAYEMS.txt')]) {
    cpSync(join(DATA_DIR, name), join(copy, name));
  }
  const vintages = readFileSync(join(DATA_DIR, folder, 'vintages.csv'), 'utf8').split('\n');
  const kept = vintages.filter((line, index) => index === 0 || line.startsWith('PAYEMS,'));
  writeFileSync(join(copy, folder, 'vintages.csv'), `${kept.join('\n')}\n`);
  return copy;
}

describe('a fault in a bundled file', () => {
  let copy = '';
  beforeEach(() => {
    copy = copyData();
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  /** Reads the copy with one change in one file. */
  function readWith(file: string, change: (text: string) => string) {
    changeFile(file, change);
    return () => readStarterMacro(copy);
  }

  function changeFile(file: string, change: (text: string) => string): void {
    const path = join(copy, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const changed = change(text);
    expect(changed).not.toBe(text);
    writeFileSync(path, changed);
  }

  const series = (id: string) => join('starter', 'macro', `${id}.txt`);

  it.each([
    [
      'a value that is no number',
      '1940-01-01 ',
      '1940-01-01 x',
      /PAYEMS\.txt:\d+: "x\d+" is no number/,
    ],
    [
      'a date out of order',
      '1940-01-01 ',
      '1939-01-01 ',
      /PAYEMS\.txt:\d+: 1939-01-01 does not come after/,
    ],
    [
      'a date off the step',
      '1940-01-01 ',
      '1940-01-02 ',
      /PAYEMS\.txt:\d+: 1940-01-02 is no month/,
    ],
    [
      'an impossible date',
      '1940-01-01 ',
      '1940-13-01 ',
      /PAYEMS\.txt:\d+: "1940-13-01" is no calendar day/,
    ],
    [
      'a line without values',
      '1940-01-01 ',
      '1940-01-01\n1940-01-01 ',
      /PAYEMS\.txt:\d+: no values/,
    ],
    [
      'a figure after the taking',
      'taken: 2026',
      'taken: 2025',
      /PAYEMS\.txt:\d+: .* after the day of taking/,
    ],
    ['an unknown header', '# taken', '# told', /PAYEMS\.txt:1: header/],
    ['another series inside', 'id: PAYEMS', 'id: UNRATE', /PAYEMS\.txt:1: holds UNRATE/],
    ['another step', 'step: month', 'step: quarter', /PAYEMS\.txt:\d+: /],
    [
      'a current value that differs from its vintage',
      '158858',
      '158859',
      /PAYEMS\.txt:1: 2026-07-01/,
    ],
  ])('%s', (_, from, to, message) => {
    expect(readWith(series('PAYEMS'), (text) => text.replace(from, to))).toThrow(message);
  });

  it.each([
    ['no number', '158637', 'many', /vintages\.csv:\d+: .* is no vintage/],
    [
      'a gap between intervals',
      '158637,2026-04-03,2026-05-08',
      '158637,2026-04-03,2026-05-07',
      /vintages\.csv:\d+: .* does not follow/,
    ],
    [
      'an end before the beginning',
      '158637,2026-04-03,2026-05-08',
      '158637,2026-05-09,2026-05-08',
      /vintages\.csv:\d+: .* ends before/,
    ],
  ])('vintages: %s', (_, from, to, message) => {
    const file = join('starter', 'macro', 'vintages.csv');
    expect(readWith(file, (text) => text.replace(from, to))).toThrow(message);
  });

  it('a copyrighted series', () => {
    const vix = readFileSync(join(DATA_DIR, series('DGS10')), 'utf8').replace('DGS10', 'VIXCLS');
    expect(readWith(series('VIXCLS'), () => vix)).toThrow(/VIXCLS\.txt:1: a copyrighted series/);
  });

  it('a file outside the catalogue', () => {
    expect(readWith(series('GOLD'), () => '1')).toThrow(/GOLD\.txt:1: no series of the catalogue/);
  });

  it('an indicator without a release lag, or with the id of another', () => {
    const file = 'indicators.json';
    expect(readWith(file, (text) => text.replace('"lag_days": [13]', '"lag_days": []'))).toThrow(
      /indicators\.json: row 1: /,
    );
    expect(
      readWith(file, (text) =>
        text.replace('"lag_days": []', '"lag_days": [13]').replace('"UNRATE"', '"PAYEMS"'),
      ),
    ).toThrow(/PAYEMS stands twice/);
  });

  it('none at all in the copy itself', () => {
    expect(readStarterMacro(copy).series.map(({ seriesId }) => seriesId)).toEqual(['PAYEMS']);
  });

  describe.skipIf(!hasShared)('against the recorded copies', () => {
    it.each([
      ['a changed figure', ' 30094 ', ' 30095 ', /PAYEMS 1939-\d\d-01: 30095 stands in no/],
      ['a figure made a gap', ' 30094 ', ' . ', /PAYEMS 1939-\d\d-01: null stands in no/],
      ['a lost year', /\n1950-01-01[^\n]*/, '', /PAYEMS 1950-01-01: left out/],
    ])('%s', (_, from, to, message) => {
      changeFile(series('PAYEMS'), (text) => text.replace(from, to));
      const faults = checkStarterMacro(copy, SHARED_DIR);
      expect(faults.filter((fault) => message.test(fault))).toHaveLength(1);
    });

    it('a vintage that was never seen', () => {
      const file = join('starter', 'macro', 'vintages.csv');
      changeFile(file, (text) => text.replace('158637,2026-04-03', '158638,2026-04-03'));
      expect(checkStarterMacro(copy, SHARED_DIR)).toContain(
        'PAYEMS 2026-03-01: the vintage of 2026-04-03 is not in vintages-by-pull-date.csv',
      );
    });
  });
});
