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

describeShared('the scope rule on recorded events', 'data/markets', (folder) => {
  it.each([LEGACY, ...PULLS])('admits exactly the bundled events among %s', (file) => {
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

it('a long tag is cut between characters', () => {
  const [tag] = classify(event({ tags: [`a${'\u{1f600}'.repeat(100)}`] })).tags;
  expect(tag).toBe(`a${'\u{1f600}'.repeat(99)}`);
});

it('only the stored part of a question is searched for assets', () => {
  const asks = (market_question: string) => event({ markets: [market({ market_question })] });
  expect(classify(asks('Will Bitcoin rise?')).assets).toEqual(['BTC']);
  expect(classify(asks(`${'so '.repeat(200)} Will Bitcoin rise?`)).assets).toEqual([]);
});

describe('the scope rule', () => {
  it.each<[string[], string, boolean]>([
    [['economy'], '', true],
    [['bitcoin'], '', true],
    [['politics'], '', false],
    // An excluded tag keeps an event out, whatever else is present.
    ...['sports', 'pop-culture', 'mentions-markets', 'tweet-markets', 'weather', 'nba'].map(
      (tag): [string[], string, boolean] => [['economy', 'fed-rates', 'crypto', tag], '', false],
    ),
    [['business'], '', false],
    [['business', 'ipo'], '', true],
    [['business'], 'Will Boeing cut its dividend?', true],
    [['politics'], 'Will Boeing be nationalised?', false],
    [['jerome-powell'], '', false],
    [['jerome-powell', 'fed'], '', true],
    [['big-tech'], '', false],
    [['big-tech', 'business'], '', true],
    [['economy', 'finance'], 'Which company has the best AI model end of June?', false],
    [['economy', 'finance'], 'Which companies will advertise during the Super Bowl?', false],
    [['economy', 'finance'], 'Will Meta report advertising revenue above $50b?', true],
    [['economy', 'finance'], 'Will OpenAI file for an IPO?', true],
    [['business'], 'Will WeWork declare bankruptcy before July?', true],
    [['culture', 'business'], 'Will WeWork declare bankruptcy before July?', false],
    [['politics'], 'Will WeWork declare bankruptcy before July?', false],
    [['crypto'], 'Bitcoin Up or Down - June 24, 3PM ET', false],
    [['crypto', '5m'], '', false],
  ])('decides on the tags %j and the title "%s": %s', (tags, title, verdict) => {
    expect(isFinance(event({ tags, ...(title !== '' && { title }) }))).toBe(verdict);
  });

  const nvidia = market({ group_label: 'Nvidia' });
  it.each<[string, boolean, Partial<VenueEvent>]>([
    ['an hourly series', false, { recurrence: 'hourly' }],
    ['a monthly series', true, { recurrence: 'monthly' }],
    ['a slug of windows', false, { slug: 'btc-updown-15m-batch' }],
    ['a slug that ends in a Unix time', false, { slug: 'eth-price-1766162100' }],
    ['a slug that ends in another number', true, { slug: 'bitcoin-above-1000000' }],
    ['a listed company in a market', true, { tags: ['business'], markets: [nvidia] }],
  ])('decides on %s: %s', (_, verdict, changes) => {
    expect(isFinance(event({ tags: ['crypto'], ...changes }))).toBe(verdict);
  });
});

describe('the classification of an event', () => {
  const shownTags = (tags: string[]) => classify(event({ tags })).tags;
  it('puts finance tags first, each once, omits machine-generated ones and keeps at most twenty', () => {
    const tags = ['fed-rates', 'politics', 'cpi'];
    expect(shownTags([...tags, 'xtrd-1'])).toEqual(['rates', 'inflation', ...tags]);
    expect(shownTags(['crypto', 'bitcoin'])).toEqual(['crypto', 'bitcoin']);
    const many = Array.from({ length: 30 }, (_, index) => `tag-${index}`);
    expect(shownTags(['gold', ...many])).toHaveLength(20);
  });

  it.each([
    ['Will XBT or ETH fall?', ['crypto'], ['BTC', 'ETH']],
    ['Doge ETF approved?', ['crypto'], ['DOGE']],
    ['How much will DOGE cut?', ['deficit'], []],
    ['Who wins gold in the marathon?', ['world'], []],
    ['Where will gold close?', ['commodities'], ['GOLD']],
    ['Is Meta ahead of Google?', ['business'], ['GOOGL', 'META']],
    ['Solved by a metal federation?', ['business'], []],
  ])('finds the assets in "%s"', (title, tags, assets) => {
    expect(classify(event({ title, tags })).assets).toEqual(assets);
  });
});
