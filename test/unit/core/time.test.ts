import { afterEach, expect, it, vi } from 'vitest';
import { latestDay } from '../../../src/core/time.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['Asia/Tokyo', '2026-11-28T20:00:00Z', '2026-11-29'],
  ['Asia/Tokyo', '2026-11-28T03:00:00Z', '2026-11-28'],
  ['America/New_York', '2026-11-29T02:00:00Z', '2026-11-29'],
  ['UTC', '2026-11-28T23:59:59Z', '2026-11-28'],
])('in the time zone %s at %s, the latest day is %s', (zone, at, day) => {
  vi.stubEnv('TZ', zone);
  expect(latestDay(new Date(at))).toBe(day);
});
