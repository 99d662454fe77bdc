// Checks data/starter/events.json against the recorded pulls and the reviewed scope table:
//   npx tsx scripts/starter/check-events.ts [data directory] [shared directory]
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { EventFacts, MarketFacts } from '../../src/areas/markets/sources/gamma.ts';
import { readStarterEvents, type StarterEvent } from './events.ts';
import { PULLS, type Pull, readPull } from './extract-events.ts';
import { readScopeReview } from './scope-review.ts';

// Parsed independently of, and more simply than in, `source.ts`, so that errors there show up.
const record = z.record(z.string(), z.unknown());
type Wire = z.output<typeof record>;

const sameText = (ours: unknown, wire: unknown) => (ours ?? '') === String(wire ?? '').trim();
const sameNumber = (ours: unknown, wire: unknown) =>
  ours === (wire === undefined || wire === null ? null : Number(wire));
const sameFlag = (ours: unknown, wire: unknown) => ours === (wire ?? false);
const sameList = (ours: unknown, wire: unknown) =>
  JSON.stringify(ours) === JSON.stringify(JSON.parse(String(wire ?? '[]')));
const sameDecimals = (ours: unknown, wire: unknown) =>
  JSON.stringify(ours) ===
  JSON.stringify(
    z
      .array(z.string())
      .parse(JSON.parse(String(wire ?? '[]')))
      .map(Number),
  );
const sameTags = (ours: unknown, wire: unknown) =>
  String(ours) ===
  z
    .array(record)
    .parse(wire)
    .map((tag) => tag.slug)
    .join(',');
const sameRecurrence = (ours: unknown, wire: unknown) =>
  sameText(ours, z.array(record).parse(wire ?? [])[0]?.recurrence);
/** Compares to the second, because the upstream mixes microseconds and whole seconds. */
const sameTime = (ours: unknown, wire: unknown) =>
  String(ours ?? '').slice(0, 19) ===
  String(wire ?? '')
    .slice(0, 19)
    .replace(' ', 'T');

type Comparison = readonly [wireName: string, same: (ours: unknown, wire: unknown) => boolean];

type ComparedFact = Exclude<keyof EventFacts, 'id' | 'description' | 'markets' | 'lacksMarkets'>;

const EVENT_FACTS: Readonly<Record<ComparedFact, Comparison>> = {
  slug: ['slug', sameText],
  title: ['title', sameText],
  tags: ['tags', sameTags],
  category: ['category', sameText],
  recurrence: ['series', sameRecurrence],
  active: ['active', sameFlag],
  closed: ['closed', sameFlag],
  archived: ['archived', sameFlag],
  mutuallyExclusive: ['negRisk', sameFlag],
  startTime: ['startDate', sameTime],
  endTime: ['endDate', sameTime],
  closedTime: ['closedTime', sameTime],
  volume: ['volume', sameNumber],
  volume24h: ['volume24hr', sameNumber],
  liquidity: ['liquidity', sameNumber],
  openInterest: ['openInterest', sameNumber],
  resolutionSource: ['resolutionSource', sameText],
};

const MARKET_FACTS: Readonly<Record<Exclude<keyof MarketFacts, 'id'>, Comparison>> = {
  slug: ['slug', sameText],
  question: ['question', sameText],
  groupLabel: ['groupItemTitle', sameText],
  place: ['groupItemThreshold', sameNumber],
  outcomes: ['outcomes', sameList],
  tokenIds: ['clobTokenIds', sameList],
  prices: ['outcomePrices', sameDecimals],
  bestBid: ['bestBid', sameNumber],
  bestAsk: ['bestAsk', sameNumber],
  lastTradePrice: ['lastTradePrice', sameNumber],
  volume: ['volumeNum', sameNumber],
  liquidity: ['liquidityNum', sameNumber],
  active: ['active', sameFlag],
  closed: ['closed', sameFlag],
  archived: ['archived', sameFlag],
  acceptingOrders: ['acceptingOrders', sameFlag],
  endTime: ['endDate', sameTime],
  closedTime: ['closedTime', sameTime],
};

/** All faults of the starter events, one sentence each; empty when all facts are as recorded. */
export function checkStarterEvents(dataDir: string, sharedDir: string): string[] {
  const dir = join(dataDir, 'starter');
  const starter = readStarterEvents(dir);
  const pulls = PULLS.map((file) => readPull(sharedDir, file)).sort((a, b) =>
    a.pulledAt < b.pulledAt ? 1 : -1,
  );
  const ids = new Set(starter.map(({ facts }) => facts.id));
  const reviewedIn = readScopeReview(dir).filter(({ verdict }) => verdict === 'in');
  return [
    ...reviewedIn.filter(({ id }) => !ids.has(id)).map(({ id }) => `${id}: in scope but missing`),
    ...starter
      .filter(({ facts }) => !reviewedIn.some(({ id }) => id === facts.id))
      .map(({ facts }) => `${facts.id}: not reviewed as in scope`),
    ...starter.flatMap((event) => checkEvent(event, pulls)),
  ];
}

function checkEvent({ facts, pulledAt }: StarterEvent, newestFirst: readonly Pull[]): string[] {
  for (const pull of newestFirst) {
    const wire = z
      .array(record)
      .parse(pull.events)
      .find(({ id }) => id === facts.id);
    if (wire === undefined) continue;
    const late = pull.pulledAt === pulledAt ? [] : [`${facts.id}: not from its latest pull`];
    return [...late, ...compare(facts, wire, EVENT_FACTS), ...checkMarkets(facts, wire)];
  }
  return [`${facts.id}: in no recorded pull`];
}

function checkMarkets(facts: EventFacts, wire: Wire): string[] {
  const recorded = new Map(
    z
      .array(record)
      .parse(wire.markets)
      .map((market) => [market.id, market]),
  );
  const missing = recorded.size - facts.markets.length;
  return [
    ...(missing === 0 ? [] : [`${facts.id}: ${missing} markets are missing`]),
    ...facts.markets.flatMap((market) => {
      const own = recorded.get(market.id);
      return own === undefined
        ? [`${market.id}: not among the markets of ${facts.id}`]
        : compare(market, own, MARKET_FACTS);
    }),
  ];
}

function compare(
  ours: { id: string },
  wire: Wire,
  comparisons: Readonly<Record<string, Comparison>>,
): string[] {
  const facts = new Map(Object.entries(ours));
  return Object.entries(comparisons)
    .filter(([name, [wireName, same]]) => !same(facts.get(name), wire[wireName]))
    .map(([name]) => `${ours.id}: ${name} is not as recorded`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = checkStarterEvents(process.argv[2] ?? 'data', process.argv[3] ?? '../shared');
  process.stdout.write(faults.length === 0 ? 'starter events: clean\n' : `${faults.join('\n')}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
