import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { normaliseEvent } from '../../../../src/areas/markets/normalise.ts';
import {
  parseGammaEvent,
  parseWireTime,
} from '../../../../src/areas/markets/sources/polymarket.ts';
import { SEEN_AT, SHARED } from './shelf.ts';

function readRecorded(file: string): unknown {
  return JSON.parse(readFileSync(join(SHARED ?? '', 'data', 'markets', file), 'utf8'));
}

describe('fields in all their shapes', () => {
  const tokenIds = ['9'.repeat(78), '1'.repeat(76)];

  it('reads lists inside strings and as such, decimals in strings, and names of blanks', () => {
    const wire = {
      id: 7,
      title: '  ',
      ticker: 'a-ticker',
      tags: [{ slug: 'Economy' }, { slug: 'economy' }, { slug: null }, { label: 'none' }],
      liquidity: '12.5',
      volume: '',
      endDate: '2025-12-31T12:00:00.123456Z',
      closedTime: '2026-05-01 12:34:56+00',
      negRisk: null,
      markets: [
        {
          id: '8',
          question: 'As strings?',
          outcomes: '["Yes", "No"]',
          outcomePrices: '["0.25", "0.75"]',
          clobTokenIds: JSON.stringify(tokenIds),
          liquidity: '3.5',
        },
        { id: '9', outcomes: ['A', 'B'], outcomePrices: [0.5, null], clobTokenIds: '[]' },
        { question: 'without an id' },
      ],
    };
    const facts = parseGammaEvent(wire);
    expect(facts).toMatchObject({
      id: '7',
      title: 'a-ticker',
      tags: ['economy'],
      liquidity: 12.5,
      volume: null,
      endTime: '2025-12-31T12:00:00.123Z',
      closedTime: '2026-05-01T12:34:56.000Z',
      mutuallyExclusive: false,
    });
    expect(facts.markets.map(({ id }) => id)).toEqual(['8', '9']);
    expect(facts.markets[0]).toMatchObject({ tokenIds, prices: [0.25, 0.75], liquidity: 3.5 });
    expect(facts.markets[1]).toMatchObject({ outcomes: ['A', 'B'], prices: [0.5, null] });
  });

  it('refuses what is no event', () => {
    const numbers = [1.5, 0, '007', '1'.repeat(13), '9'.repeat(20), 2 ** 60].map((id) => ({ id }));
    for (const wire of [null, [], {}, { id: 'abc' }, ...numbers]) {
      expect(() => parseGammaEvent(wire), JSON.stringify(wire)).toThrow(z.ZodError);
    }
    expect(parseGammaEvent({ id: '9'.repeat(12) }).id).toBe('9'.repeat(12));
  });

  it('drops a market whose number no integer holds, and keeps the others', () => {
    const markets = ['9'.repeat(20), '9'.repeat(15)].map((id) => ({ id, question: 'Will it?' }));
    expect(parseGammaEvent({ id: 7, markets }).markets.map(({ id }) => id)).toEqual([
      '9'.repeat(15),
    ]);
  });

  it('leaves out a field of another kind; without its state a market is unreadable', () => {
    const odd = { groupItemTitle: 5, volume: {}, liquidity: [], endDate: 0, outcomes: 1 };
    const markets = [
      { id: 8, question: 'Will it?', closed: true, ...odd },
      { id: 9, question: 'Or not?', closed: 'true' },
    ];
    const facts = parseGammaEvent({ id: 7, ticker: [], slug: 'a-slug', openInterest: {}, markets });
    expect(facts).toMatchObject({ title: 'a-slug', openInterest: null, lacksMarkets: true });
    expect(facts.markets).toMatchObject([
      { id: '8', closed: true, groupLabel: null, volume: null, endTime: null, outcomes: [] },
    ]);
    expect(parseGammaEvent({ id: 7, markets: markets.slice(0, 1) })).not.toHaveProperty(
      'lacksMarkets',
    );
    // Title and slug tell a window of minutes.
    for (const odd of [{ closed: 'true' }, { tags: [{ slug: 5 }] }, { slug: 5 }, { title: {} }]) {
      expect(() => parseGammaEvent({ id: 7, ...odd }), JSON.stringify(odd)).toThrow(z.ZodError);
    }
  });

  it('takes a market once, and no text of what does not show', () => {
    const markets = ['8', '9', '8'].map((id) => ({ id, question: `Will ${id}?` }));
    const facts = parseGammaEvent({ id: 7, title: '\u200b', slug: 'a-slug', markets });
    expect(facts.markets.map(({ id }) => id)).toEqual(['8', '9']);
    expect(facts).toMatchObject({ title: 'a-slug', description: null });
    const blank = { id: 8, question: '\u2060', slug: 'will-it' };
    expect(parseGammaEvent({ id: 7, markets: [blank] }).markets[0]?.question).toBe('will-it');
  });

  it.each([
    ['an object that cannot become a text', [{ toString: 1, valueOf: 1 }, 'No']],
    ['lists in lists without end', `[${'['.repeat(20_000)}${']'.repeat(20_000)},"No"]`],
  ])('leaves the place of %s empty', (_, outcomes) => {
    const [market] = parseGammaEvent({ id: 7, markets: [{ id: 8, outcomes }] }).markets;
    expect(market?.outcomes).toEqual(['', 'No']);
  });

  it('takes no sum beyond all money', () => {
    const wire = { id: 7, volume: '1e308', liquidity: 1e15, openInterest: '-1e16', volume24hr: -5 };
    expect(parseGammaEvent(wire)).toMatchObject({
      ...{ volume: null, liquidity: 1e15, openInterest: null, volume24h: -5 },
    });
  });

  it.each([
    ['soon', null],
    ['', null],
    [null, null],
    ['2025-06-24T23:58:34Z', '2025-06-24T23:58:34.000Z'],
    ['2022-07-27 14:40:02.064+00', '2022-07-27T14:40:02.064Z'],
    ['2026-12-31 12:00:00', '2026-12-31T12:00:00.000Z'],
    ['2026-12-31T12:00:00.5', '2026-12-31T12:00:00.500Z'],
    ['2026-12-31T12:00:00-05:00', '2026-12-31T17:00:00.000Z'],
    ['2026-12-31T12:00+0530', '2026-12-31T06:30:00.000Z'],
    ['2026-12-31', '2026-12-31T00:00:00.000Z'],
    ['2026-02-30', null],
    ['1', null],
    ['December 31, 2026', null],
    ['2026-12-31T25:00:00Z', null],
    ['0000-01-01T00:00:00+01:00', null],
  ])('reads the time %s', (spelled, time) => {
    expect(parseWireTime(spelled)).toBe(time);
  });
});

describe.skipIf(SHARED === undefined)('recorded shapes of other years', () => {
  it('reads every recorded time as JavaScript does where its zone is told', () => {
    const text = JSON.stringify(
      ['gamma-events-100-a.json', 'gamma-events-legacy-closed-10.json'].map(readRecorded),
    );
    const pattern = /"(?:startDate|endDate|closedTime)":"([^"]+)"/g;
    const times = [...text.matchAll(pattern)].map((match) => match[1] ?? '');
    expect(times.length).toBeGreaterThan(500);
    for (const time of times.filter((each) => /Z$|\+00$/.test(each))) {
      const spelled = time.replace(' ', 'T').replace(/\+00$/, 'Z');
      expect(parseWireTime(time), time).toBe(new Date(spelled).toISOString());
    }
    expect(times.filter((time) => parseWireTime(time) === null)).toEqual([]);
  });

  it('closes old events of 2021 and names their winners', () => {
    const events = z.array(z.unknown()).parse(readRecorded('gamma-events-legacy-closed-10.json'));
    for (const wire of events) {
      const card = normaliseEvent(parseGammaEvent(wire), SEEN_AT);
      expect([card.status, card.coverage]).toEqual(['closed', 'complete']);
      expect(card.closedTime).toMatch(/^2022-07-27/);
      const [market] = card.markets;
      expect(market?.outcomes.map(({ probability }) => probability).sort()).toEqual([0, 1]);
      expect(market?.winningOutcome).toMatch(/^(Yes|No)$/);
    }
  });

  it.each([
    ['gamma_market_closed_zero_zero_legacy.json', [], null, 'metadata_only'],
    ['gamma_market_closed_binary_accepting_false.json', [0, 1], 'No', 'complete'],
    ['gamma_market_closed_binary_accepting_true.json', [1, 0], 'Yes', 'complete'],
  ])('reads the closed market of %s', (file, probabilities, winner, coverage) => {
    const facts = parseGammaEvent({ id: '1', markets: [readRecorded(`edge/${file}`)] });
    const card = normaliseEvent(facts, SEEN_AT);
    expect(card.status).toBe('closed');
    expect(card.markets[0]?.outcomes.map((o) => o.probability)).toEqual(probabilities);
    expect(card.markets[0]?.winningOutcome).toBe(winner);
    expect(card.coverage).toBe(coverage);
  });

  it('leaves a scalar market of 2020 without a winner', () => {
    const wire = readRecorded('edge/gamma_market_closed_nonbinary_legacy.json');
    const card = normaliseEvent(parseGammaEvent({ id: '1', markets: [wire] }), SEEN_AT);
    expect(card.markets[0]?.outcomes.map(({ label }) => label)).toEqual(['Long', 'Short']);
    expect(card.markets[0]?.outcomes[0]?.probability).toBeCloseTo(0.5843, 4);
    expect(card.markets[0]?.winningOutcome).toBeNull();
  });

  it('finds a weather event without prices in an abridged answer', () => {
    const facts = parseGammaEvent(readRecorded('edge/event.json'));
    expect(facts.markets).toEqual([]);
    expect(normaliseEvent(facts, SEEN_AT).coverage).toBe('metadata_only');
  });
});
