import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readStarterEvents } from '../../../../scripts/starter/events.ts';
import { classify } from '../../../../src/areas/markets/scope.ts';
import type { VenueEvent } from '../../../../src/areas/markets/sources/event-card.ts';
import { gammaEvent } from '../../../../src/areas/markets/sources/polymarket-event.ts';
import { PULLS } from '../../../pulls.ts';
import { describeShared } from '../../../shared.ts';
import { event, market } from './shelf.ts';

const isFinance = (each: VenueEvent) => classify(each).isFinance;
const LEGACY = 'gamma-events-legacy-closed-10.json';

describeShared('the scope rule', 'data/markets', (folder) => {
  it.each([LEGACY, ...PULLS])('agrees with the bundle on %s, except for bankruptcies', (file) => {
    const bundled = new Set(
      readStarterEvents('data/starter').map(({ event: { sourceId } }) => sourceId),
    );
    const wrong = z
      .array(gammaEvent)
      .parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
      .filter((each) => isFinance(each) !== bundled.has(each.sourceId));
    // The rule on bankruptcies is newer than the bundle.
    const younger = file === LEGACY ? [] : ['16196 Will WeWork declare bankruptcy before July?'];
    expect(wrong.map(({ sourceId, title }) => `${sourceId} ${title}`)).toEqual(younger);
  });
});

it('the bundled events are in scope and carry no description', () => {
  const events = readStarterEvents('data/starter').map((each) => each.event);
  expect(events).toHaveLength(35);
  for (const each of events) {
    expect(isFinance(each), each.title).toBe(true);
    expect(each.description).toBeNull();
  }
});

it('a long tag is cut without splitting a character', () => {
  const [tag] = classify(event({ tags: [`a${'\u{1f600}'.repeat(100)}`] })).tags;
  expect(tag).toBe(`a${'\u{1f600}'.repeat(99)}`);
});

it("only the stored part of a market's question is searched for assets", () => {
  const asks = (market_question: string) => event({ markets: [market({ market_question })] });
  expect(classify(asks('Will Bitcoin rise?')).assets).toEqual(['BTC']);
  expect(classify(asks(`${'so '.repeat(200)} Will Bitcoin rise?`)).assets).toEqual([]);
});

describe('the scope rule', () => {
  it.each<['admits' | 'excludes', string, string[]]>([
    ['admits', 'An event', ['economy']],
    ['admits', 'An event', ['bitcoin']],
    ['excludes', 'An event', ['politics']],
    // An excluded tag keeps an event out, whatever else is present.
    ...['sports', 'pop-culture', 'mentions-markets', 'tweet-markets', 'weather', 'nba'].map(
      (tag): ['excludes', string, string[]] => ['excludes', 'An event', ['economy', 'crypto', tag]],
    ),
    ['excludes', 'An event', ['business']],
    ['admits', 'An event', ['business', 'ipo']],
    ['admits', 'Will Boeing cut its dividend?', ['business']],
    ['excludes', 'Will Boeing be nationalised?', ['politics']],
    ['excludes', 'An event', ['jerome-powell']],
    ['admits', 'An event', ['jerome-powell', 'fed']],
    ['excludes', 'An event', ['big-tech']],
    ['admits', 'An event', ['big-tech', 'business']],
    ['excludes', 'Which company has the best AI model end of June?', ['economy', 'finance']],
    ['excludes', 'Which companies will advertise during the Super Bowl?', ['economy', 'finance']],
    ['admits', 'Will Meta report advertising revenue above $50b?', ['economy', 'finance']],
    ['admits', 'Will OpenAI file for an IPO?', ['economy', 'finance']],
    ['admits', 'Will WeWork declare bankruptcy before July?', ['business']],
    ['excludes', 'Will WeWork declare bankruptcy before July?', ['culture', 'business']],
    ['excludes', 'Will WeWork declare bankruptcy before July?', ['politics']],
    ['excludes', 'Bitcoin Up or Down - June 24, 3PM ET', ['crypto']],
    ['excludes', 'An event', ['crypto', '5m']],
  ])('%s the title "%s" with the tags %j', (verdict, title, tags) => {
    expect(isFinance(event({ tags, title }))).toBe(verdict === 'admits');
  });

  const nvidia = market({ group_label: 'Nvidia' });
  it.each<[string, boolean, Partial<VenueEvent>]>([
    ['excludes an hourly series', false, { recurrence: 'hourly' }],
    ['admits a monthly series', true, { recurrence: 'monthly' }],
    ['excludes a slug that names 15 minutes', false, { slug: 'btc-updown-15m-batch' }],
    ['excludes a slug that ends in a Unix time', false, { slug: 'eth-price-1766162100' }],
    ['admits a slug that ends in another number', true, { slug: 'bitcoin-above-1000000' }],
    ['admits a listed company in a market', true, { tags: ['business'], markets: [nvidia] }],
  ])('%s', (_, verdict, changes) => {
    expect(isFinance(event({ tags: ['crypto'], ...changes }))).toBe(verdict);
  });
});

describe('the classification of an event', () => {
  const shownTags = (tags: string[]) => classify(event({ tags })).tags;
  it('shows at most twenty tags, finance tags first, without machine-generated or repeated ones', () => {
    const tags = ['fed-rates', 'politics', 'cpi'];
    expect(shownTags([...tags, 'xtrd-1'])).toEqual(['rates', 'inflation', ...tags]);
    expect(shownTags(['crypto', 'bitcoin'])).toEqual(['crypto', 'bitcoin']);
    const many = Array.from({ length: 30 }, (_, index) => `tag-${index}`);
    expect(shownTags(['gold', ...many])).toHaveLength(20);
  });

  it.each([
    [['BTC', 'ETH'], 'Will XBT or ETH fall?', 'crypto'],
    [['DOGE'], 'Doge ETF approved?', 'crypto'],
    [[], 'How much will DOGE cut?', 'deficit'],
    [[], 'Who wins gold in the marathon?', 'world'],
    [['GOLD'], 'Where will gold close?', 'commodities'],
    [['GOOGL', 'META'], 'Is Meta ahead of Google?', 'business'],
    [[], 'Solved by a metal federation?', 'business'],
  ])('finds the assets %j in the title "%s" with the tag %s', (assets, title, tag) => {
    expect(classify(event({ title, tags: [tag] })).assets).toEqual(assets);
  });
});
