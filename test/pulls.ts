import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { gammaTime } from '../src/areas/markets/sources/polymarket-event.ts';

/** Two recorded pulls of a hundred open events of June 2025, some days apart. */
export const PULLS = ['gamma-events-100-a.json', 'gamma-events-100-b.json'] as const;

const wireEvents = z.array(z.looseObject({ id: z.string(), updatedAt: z.string() })).min(1);

/**
 * A recorded pull with its time. The files do not state it, but the upstream renews the timestamp of every
 * open event every few seconds, so the latest timestamp is the time of the pull.
 */
export function readPull(folder: string, file: string) {
  const wires = wireEvents.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const stamps = wires.map(({ updatedAt }) => gammaTime.parse(updatedAt) ?? '').sort();
  return { at: new Date(stamps.at(-1) ?? ''), wires };
}
