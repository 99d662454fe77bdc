// Writes data/starter/events.json from the two recorded pulls of June 2025:
//   npx tsx scripts/starter/extract-events.ts <shared directory>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFinance } from '../../src/areas/markets/scope.ts';
import { parseGammaEvent, parseGammaTime } from '../../src/areas/markets/sources/gamma.ts';
import type { VenueEvent } from '../../src/areas/markets/sources/venue.ts';

export const PULLS = ['gamma-events-100-a.json', 'gamma-events-100-b.json'] as const;

/** Events of a recorded pull as received, with the time of the pull. */
export interface Pull {
  file: string;
  /** ISO 8601 with milliseconds. */
  pulledAt: string;
  events: readonly unknown[];
}

/**
 * Reads a recorded pull. The files do not state their time, but the upstream updates the stamp of
 * every open event every few seconds: all hundred stamps of a pull are within four seconds, and none
 * can be later than the pull. So the latest `updatedAt` is the time of its figures.
 */
export function readPull(sharedDir: string, file: string): Pull {
  const path = join(sharedDir, 'data', 'markets', file);
  const events: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!Array.isArray(events)) throw new Error(`${file} is not a list of events`);
  const stamps = events.map(updatedAt).sort();
  const pulledAt = stamps.at(-1);
  if (pulledAt === undefined) throw new Error(`${file} has no events`);
  return { file, pulledAt, events };
}

function updatedAt(event: unknown): string {
  const stamp =
    typeof event === 'object' && event !== null && 'updatedAt' in event && event.updatedAt;
  const time = typeof stamp === 'string' ? parseGammaTime(stamp) : null;
  if (time === null) throw new Error('an event has no updatedAt');
  return time;
}

/** All events of the pulls that are in scope, each from the latest pull with it, by ascending id. */
export function extractEvents(pulls: readonly Pull[]): (VenueEvent & { pulledAt: string })[] {
  const oldestFirst = pulls.toSorted((a, b) => (a.pulledAt < b.pulledAt ? -1 : 1));
  const latest = new Map(
    oldestFirst.flatMap(({ events, pulledAt }) =>
      events.map(parseGammaEvent).map((event) => [event.sourceId, { ...event, pulledAt }] as const),
    ),
  );
  const byId = (a: VenueEvent, b: VenueEvent) => Number(a.sourceId) - Number(b.sourceId);
  return [...latest.values()].filter(isFinance).sort(byId);
}

/** One line per event and per market, for readable diffs. */
export function formatEvents(events: readonly (VenueEvent & { pulledAt: string })[]): string {
  const blocks = events.map(({ markets, description: _left, ...event }) => {
    const head = JSON.stringify(event).slice(0, -1);
    const lines = markets
      .toSorted((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))
      .map((market) => JSON.stringify(market));
    return `${head},"markets":[\n${lines.join(',\n')}]}`;
  });
  return `{"events":[\n${blocks.join(',\n')}]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sharedDir = process.argv[2];
  if (sharedDir === undefined)
    throw new Error('usage: tsx scripts/starter/extract-events.ts <shared directory>');
  const events = extractEvents(PULLS.map((file) => readPull(sharedDir, file)));
  writeFileSync(
    fileURLToPath(new URL('../../data/starter/events.json', import.meta.url)),
    formatEvents(events),
  );
  process.stdout.write(`${events.length} events\n`);
}
