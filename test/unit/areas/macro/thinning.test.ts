import { describe, expect, it } from 'vitest';
import { describeSign, thin } from '../../../../src/areas/macro/thinning.ts';

const toRows = (values: readonly (number | null)[]) =>
  values.map((value, index) => ({ date: `day ${index}`, value }));

describe('a thinned history', () => {
  const flat = Array.from({ length: 16_000 }, () => 1);

  it('keeps the first, last, lowest and highest observation, in their order', () => {
    const values = [null, ...flat, null];
    values[7_001] = -5;
    values[9_002] = 5;
    const rows = toRows(values);
    const shown = thin(rows);
    expect(shown.length).toBeGreaterThan(190);
    expect(shown.length).toBeLessThanOrEqual(200);
    expect(shown).toEqual(rows.filter((row) => shown.includes(row)));
    for (const at of [0, 7_001, 9_002, 16_001]) expect(shown).toContain(rows[at]);
  });

  it('keeps spikes that evenly spaced samples would miss', () => {
    const spikes = [1_234, 5_678, 9_876, 13_579];
    const values = [...flat];
    for (const at of spikes) values[at] = 2;
    const rows = toRows(values);
    const shown = thin(rows);
    for (const at of spikes) expect(shown, String(at)).toContain(rows[at]);
  });

  it('consists of its first and last period if it has no values', () => {
    const rows = toRows(Array.from({ length: 600 }, () => null));
    expect(thin(rows)).toEqual([rows[0], rows[599]]);
  });
});

describe('the sign of a long history', () => {
  const signOf = (newer: readonly (number | null)[]) =>
    describeSign(toRows([...Array.from({ length: 300 }, () => -0.2), ...newer]));

  it('is stated with the day since which it has held', () => {
    expect(signOf([0.3, 0.4, null])).toBe('Positive since day 300.');
    expect(signOf([0.3, -0.1])).toBe('Negative since day 301.');
  });

  it('is dated from the value after the last zero, and is not stated if the newest is zero', () => {
    expect(signOf([0.3, 0, 0.4])).toBe('Positive since day 302.');
    expect(signOf([0.3, 0])).toBe('');
  });

  it('is not stated if it never changed or the history is short', () => {
    expect(signOf([])).toBe('');
    expect(signOf([0, -0.1])).toBe('');
    expect(describeSign(toRows([-1, 1]))).toBe('');
  });
});
