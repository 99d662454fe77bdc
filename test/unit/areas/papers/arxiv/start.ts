import { afterEach } from 'vitest';
import { createArxivSource } from '../../../../../src/areas/papers/source.ts';
import { type StandIn, type StandInOptions, startArxiv } from '../../../../stand-ins/arxiv.ts';
import { makePapers } from '../../../../stand-ins/arxiv-papers.ts';
import { createPlainClient } from './client.ts';

const NOW = new Date('2026-06-10T04:30:00Z');
const started: StandIn[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((standIn) => standIn.close()));
});

/** A source for a stand-in with ten papers in pages of four, closed after the test. */
export async function startSource(options: Partial<StandInOptions> = {}, paceMs?: number) {
  const usual = { records: makePapers(10), pageSize: 4, now: () => NOW };
  const standIn = await startArxiv({ ...usual, ...options });
  started.push(standIn);
  const client = createPlainClient();
  return { standIn, client, source: createArxivSource(client, standIn.bases, paceMs) };
}
