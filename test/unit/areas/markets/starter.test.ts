import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStarterEvents } from '../../../../scripts/starter/events.ts';
import { isFinance } from '../../../../src/areas/markets/scope.ts';

describe('the starter events', () => {
  it('are in scope and carry nobody else’s sentences', () => {
    const events = readStarterEvents('data/starter');
    expect(events).toHaveLength(35);
    for (const { event, pulledAt } of events) {
      expect(isFinance(event), event.title).toBe(true);
      expect(event.description).toBeNull();
      expect(pulledAt.slice(0, 10)).toBe('2025-06-24');
    }
  });
});

describe('reading the starter events', () => {
  const good = readFileSync('data/starter/events.json', 'utf8');
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'quantshelf-events-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it.each([
    ['an unknown field', '"sourceId":"14371"', '"sourceId":"14371","odds":1', /odds/],
    ['a token id that lost its digits', '"tokenId":"4035', '"tokenId":"4.035e+75', /tokenId/],
    ['a price above one', '"probability":0.0225', '"probability":1.0225', /probability/],
    [
      'a time without its zone',
      '"pulledAt":"2025-06-24T23:58:34.088Z"',
      '"pulledAt":"2025-06-24"',
      /pulledAt/,
    ],
  ])('names %s', (_, from, to, fault) => {
    writeFileSync(join(dir, 'events.json'), good.replace(from, to));
    expect(() => readStarterEvents(dir)).toThrow(fault);
  });
});
