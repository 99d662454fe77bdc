import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readStarterEvents } from '../../../../scripts/starter/events.ts';
import { resolveAsset } from '../../../../src/areas/markets/assets.ts';
import { classify } from '../../../../src/areas/markets/scope.ts';
import type { VenueEvent } from '../../../../src/areas/markets/sources/event-card.ts';
import { gammaEvent } from '../../../../src/areas/markets/sources/polymarket-event.ts';
import { PULLS } from '../../../pulls.ts';
import { event, market, SHARED } from './shelf.ts';

const isFinance = (each: VenueEvent) => classify(each).outside === null;
const LEGACY = 'gamma-events-legacy-closed-10.json';

function readRecorded(file: string): VenueEvent[] {
  const text = readFileSync(join(SHARED ?? '', 'data', 'markets', file), 'utf8');
  return z
    .array(z.unknown())
    .parse(JSON.parse(text))
    .map((wire) => gammaEvent.parse(wire));
}

describe('the scope rule on recorded events', () => {
  it.skipIf(SHARED === undefined).each([LEGACY, ...PULLS])(
    'admits the reviewed and bundled events among %s',
    (file) => {
      const bundled = new Set(
        readStarterEvents('data/starter').map(({ event: { sourceId } }) => sourceId),
      );
      const wrong = readRecorded(file).filter(
        (each) => isFinance(each) !== bundled.has(each.sourceId),
      );
      // The rule on bankruptcies is younger than the bundle.
      const younger = file === LEGACY ? [] : ['16196 Will WeWork declare bankruptcy before July?'];
      expect(wrong.map(({ sourceId, title }) => `${sourceId} ${title}`)).toEqual(younger);
    },
  );
});

it('the bundled events are in scope and carry no description', () => {
  const events = readStarterEvents('data/starter').map((each) => each.event);
  expect(events).toHaveLength(35);
  for (const each of events) {
    expect(isFinance(each), each.title).toBe(true);
    expect(each.description).toBeNull();
  }
});

it('a long tag is cut between characters', () => {
  const [tag] = classify(event({ tags: [`a${'\u{1f600}'.repeat(100)}`] })).tags;
  expect(tag).toBe(`a${'\u{1f600}'.repeat(99)}`);
});

it('of a question only what is stored of it is searched for assets', () => {
  const asks = (market_question: string) => event({ markets: [market({ market_question })] });
  expect(classify(asks('Will Bitcoin rise?')).assets).toEqual(['BTC']);
  expect(classify(asks(`${'so '.repeat(200)} Will Bitcoin rise?`)).assets).toEqual([]);
});

describe('the scope rule', () => {
  const tagged = (...tags: string[]) => event({ tags });

  it.each([
    ['economy', true],
    ['bitcoin', true],
    ['politics', false],
    ['ai', false],
    ['world', false],
  ])('judges the lone tag %s', (tag, verdict) => {
    expect(isFinance(tagged(tag))).toBe(verdict);
  });

  it.each(['sports', 'pop-culture', 'mentions-markets', 'tweet-markets', 'weather', 'nba'])(
    'keeps %s out whatever else is present',
    (tag) => {
      expect(isFinance(tagged('economy', 'fed-rates', 'crypto', tag))).toBe(false);
    },
  );

  it('accepts business only with another finance tag or a listed company', () => {
    expect(isFinance(tagged('business'))).toBe(false);
    expect(isFinance(tagged('business', 'ipo'))).toBe(true);
    expect(isFinance({ ...tagged('business'), title: 'Will Boeing cut its dividend?' })).toBe(true);
    const inMarket = { ...tagged('business'), markets: [market({ group_label: 'Nvidia' })] };
    expect(isFinance(inMarket)).toBe(true);
    expect(isFinance({ ...tagged('politics'), title: 'Will Boeing be nationalised?' })).toBe(false);
  });

  it.each([
    ['Which company has the best AI model end of June?', false],
    ['Which companies will advertise during the Super Bowl?', false],
    ['Will Meta report advertising revenue above $50b?', true],
    ['Will OpenAI file for an IPO?', true],
  ])('judges the subject of "%s"', (title, verdict) => {
    expect(isFinance({ ...tagged('economy', 'finance'), title })).toBe(verdict);
  });

  it('accepts bankruptcies of companies without a ticker', () => {
    const wework = { ...tagged('business'), title: 'Will WeWork declare bankruptcy before July?' };
    expect(classify(wework)).toMatchObject({ outside: null, assets: [] });
    expect(isFinance({ ...wework, tags: ['culture', 'business'] })).toBe(false);
    expect(isFinance({ ...wework, tags: ['politics'] })).toBe(false);
  });

  it('says why an event is left out', () => {
    expect(classify(tagged('economy', 'nba')).outside).toMatch(/^Sports and games/);
    expect(classify(event({ slug: 'eth-price-1766162100' })).outside).toMatch(/^Coin tosses/);
    expect(classify(tagged('politics')).outside).toBe('No finance tag.');
  });

  it('admits tags such as jerome-powell only with another tag', () => {
    expect(isFinance(tagged('jerome-powell'))).toBe(false);
    expect(isFinance(tagged('jerome-powell', 'fed'))).toBe(true);
    expect(isFinance(tagged('big-tech'))).toBe(false);
    expect(isFinance(tagged('big-tech', 'business'))).toBe(true);
  });

  it.each([
    ['its series', { recurrence: 'hourly' }],
    ['its title', { title: 'Bitcoin Up or Down - June 24, 3PM ET' }],
    ['its slug', { slug: 'btc-updown-15m-batch' }],
    ['an epoch', { slug: 'eth-price-1766162100' }],
    ['a tag', { tags: ['crypto', '5m'] }],
  ])('recognises a short window by %s', (_, changes) => {
    expect(isFinance(event({ tags: ['crypto'], ...changes }))).toBe(false);
  });

  it('keeps monthly series and numbers that are not Unix times', () => {
    expect(isFinance(event({ tags: ['crypto'], recurrence: 'monthly' }))).toBe(true);
    expect(isFinance(event({ tags: ['crypto'], slug: 'bitcoin-above-1000000' }))).toBe(true);
  });
});

describe('tags and assets', () => {
  const shownTags = (tags: string[]) => classify(event({ tags })).tags;
  it('puts the finance words first, each once, twenty at most', () => {
    expect(shownTags(['fed-rates', 'politics', 'cpi'])).toEqual([
      'rates',
      'inflation',
      'fed-rates',
      'politics',
      'cpi',
    ]);
    expect(shownTags(['crypto', 'bitcoin'])).toEqual(['crypto', 'bitcoin']);
    const many = Array.from({ length: 30 }, (_, index) => `tag-${index}`);
    expect(shownTags(['gold', ...many])).toHaveLength(20);
  });

  it.each([
    ['bitcoin', 'BTC'],
    ['XBT', 'BTC'],
    ['Federal Reserve', 'FED'],
    ['S&P  500', 'SPX'],
    ['nvidia', 'NVDA'],
    ['opensea', null],
  ])('resolves %s to %s', (word, asset) => {
    expect(resolveAsset(word)).toBe(asset);
  });

  it.each([
    ['Will XBT or ETH fall?', ['crypto'], ['BTC', 'ETH']],
    ['Doge ETF approved?', ['crypto'], ['DOGE']],
    ['How much will DOGE cut?', ['deficit'], []],
    ['Who wins gold in the marathon?', ['world'], []],
    ['Where will gold close?', ['commodities'], ['GOLD']],
    ['Is Meta ahead of Google?', ['business'], ['GOOGL', 'META']],
    ['Solved by a metal federation?', ['business'], []],
  ])('finds the assets of "%s"', (title, tags, assets) => {
    expect(classify(event({ title, tags })).assets).toEqual(assets);
  });
});
