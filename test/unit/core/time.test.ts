import { afterEach, expect, it, vi } from 'vitest';
import { latestDay } from '../../../src/core/time.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['Asia/Tokyo', '2026-11-28T20:00:00Z', '2026-11-29'],
  ['Asia/Tokyo', '2026-11-28T03:00:00Z', '2026-11-28'],
  ['America/New_York', '2026-11-29T02:00:00Z', '2026-11-29'],
  ['UTC', '2026-11-28T23:59:59Z', '2026-11-28'],
])(
  'the latest day accepted in %s at %s is %s, so that users may ask for their own current day',
  (zone, at, day) => {
    vi.stubEnv('TZ', zone);
    expect(latestDay(new Date(at))).toBe(day);
  },
);
