import { describe, expect, it } from 'vitest';
import { toMarketEvent } from '../../../../src/areas/markets/event.ts';
import { classify } from '../../../../src/areas/markets/scope.ts';
import { event, market, SEEN_AT } from './shelf.ts';

const store = (changes: Parameters<typeof event>[0]) => {
  const each = event(changes);
  return toMarketEvent(each, classify(each), SEEN_AT).card;
};
const closed = market({ market_card_id: 'pmm_503', status: 'closed', prices: [1, 0] });

describe('the closing time of an event', () => {
  const early = { ...closed, closed_time: '2026-02-01T00:00:00.000Z' };
  const late = { ...closed, market_card_id: 'pmm_504', closed_time: '2026-03-01T00:00:00.000Z' };
  const ended = { markets: [closed], end_time: '2026-01-05T00:00:00.000Z' };
  const ahead = { ...ended, end_time: '2027-01-05T00:00:00.000Z' };

  it.each<[string, Parameters<typeof event>[0], string]>([
    ['is the one that the venue sent', { closed_time: '2026-04-01T00:00:00.000Z' }, '2026-04-01'],
    ['is the latest of its markets if none was sent', { markets: [early, late] }, '2026-03-01'],
    ['is its end if that has passed and none was sent', ended, '2026-01-05'],
    ['is when it was seen closed if its end is in the future', ahead, '2026-11-21'],
    ['is never in the future', { closed_time: '9999-01-01T00:00:00.000Z' }, '2026-11-21'],
  ])('%s', (_, changes, day) => {
    expect(store({ status: 'closed', ...changes }).closed_time?.slice(0, 10)).toBe(day);
  });
});

it('ladder steps are ordered by position, and other markets by state, liquidity and number', () => {
  const markets = [
    { ...closed, market_card_id: 'pmm_9', liquidity: 900 },
    market({ market_card_id: 'pmm_30', liquidity: 5 }),
    market({ market_card_id: 'pmm_4', liquidity: 5 }),
    market({ market_card_id: 'pmm_8', liquidity: 70 }),
    market({ market_card_id: 'pmm_7', liquidity: 800, status: 'inactive' }),
  ];
  const order = (own: typeof markets) =>
    store({ markets: own }).markets.map((each) => Number(each.market_card_id.slice(4)));
  expect(order(markets)).toEqual([8, 4, 30, 9, 7]);
  const steps = markets.map((each, index) => ({
    ...each,
    place: -index,
    group_label: `$${index}`,
  }));
  expect(order(steps)).toEqual([7, 8, 4, 30, 9]);
});

describe("a venue's texts", () => {
  it('are stripped of invisible characters', () => {
    const labels = [{ label: 'Yes\u0007', outcome_token_id: '1', current_probability: 1 }];
    const stored = store({
      title: 'Two\n lines\ufeff',
      tags: ['crypto\u202e', '\u200b'],
      slug: 'a\u202eb',
      category: 'Cry\u200bpto',
      markets: [market({ outcomes: labels })],
    });
    expect(stored).toMatchObject({ title: 'Two lines', slug: 'ab', category: 'Crypto' });
    expect(stored.tags.at(-1)).toBe('crypto');
    expect(stored.markets[0]?.outcomes[0]?.label).toBe('Yes');
  });

  it('are cut to their maximum lengths without splitting a character', () => {
    const long = '😀'.repeat(20_000);
    const outcomes = [{ label: long, outcome_token_id: '1', current_probability: 1 }];
    const stored = store({
      title: long,
      slug: long,
      category: long,
      description: long,
      resolution_source: `https://${long}`,
      markets: [market({ market_question: long, group_label: long, outcomes })],
    });
    const [only] = stored.markets;
    const texts = [
      ...[stored.title, stored.slug, stored.category, stored.description, stored.resolution_source],
      ...[only?.market_question, only?.group_label, only?.outcomes[0]?.label],
    ];
    expect(texts.map((text) => [...(text ?? '')].length)).toEqual([
      ...[500, 300, 200, 3_998, 1_000],
      ...[500, 200, 200],
    ]);
    expect(texts.join('')).toMatch(/^(?:😀|https:\/\/)+$/u);
  });
});

it('a card shows a resolution source only if it is a web link', () => {
  const links = ['https://www.bls.gov/cpi/', 'HTTP://www.bls.gov/'];
  const others = ['javascript:alert(1)', 'data:text/html,x', 'defipulse.com', 'https://'];
  const shown = [...links, ...others].map(
    (resolution_source) => store({ resolution_source }).resolution_source,
  );
  expect(shown.filter((link) => link !== undefined)).toEqual(links);
});
