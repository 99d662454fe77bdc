import { describe, expect, it } from 'vitest';
import {
  relativeDatesOf,
  withoutRelativeDates,
} from '../../../../src/store/search/query/relative-dates.ts';

const NOW = new Date('2026-12-05T12:00:00Z');

describe('the dates that a question names relative to today', () => {
  it.each([
    ['recession this year', '2026'],
    ['recession next year or last year', '2027 2025'],
    ['a cut next month', 'January 2027'],
    ['a cut last month', 'November 2026'],
    ['gold at the end of the year', '2026'],
    ['gold at year-end 2027', ''],
    ['gold in 2027', ''],
    ['gold at next year-end', '2027'],
    ['cuts over the rest of the year', '2026'],
    ['a cut before New Year', '2026'],
    ['a deal before the year is out', '2026'],
  ])('%s: %s', (text, dates) => {
    expect(relativeDatesOf(text, NOW)).toBe(dates);
  });
});

describe('a text without the words of its relative dates', () => {
  it.each([
    ['cuts over the rest of the year', 'cuts over the'],
    ['recession this year', 'recession'],
    ['close at the end of the year', 'close at the end'],
    ['10-year yield in 2026', '10-year yield in 2026'],
  ])('%s: %s', (text, rest) => {
    expect(withoutRelativeDates(text).trim()).toBe(rest);
  });
});
