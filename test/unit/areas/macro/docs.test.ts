import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStarterMacro } from '../../../../scripts/starter/macro.ts';
import { createBlsFeed } from '../../../../src/areas/macro/agencies/bls.ts';
import { createNewYorkFedFeeds } from '../../../../src/areas/macro/agencies/new-york-fed.ts';
import { createTreasuryFeeds } from '../../../../src/areas/macro/agencies/treasury.ts';
import { DATA_DIR } from './shelf.ts';

const NAMES = { bls: 'BLS', treasury: 'Treasury', new_york_fed: 'New York Fed' };

it('docs/macro.md tells of every indicator its source without a key and its newest figure', () => {
  const never = { get: () => Promise.reject(), post: () => Promise.reject() };
  const at = { baseUrl: 'http://127.0.0.1:9', paceMs: 0 };
  const feeds = [
    createBlsFeed(never, at),
    ...createTreasuryFeeds(never, at),
    ...createNewYorkFedFeeds(never, at),
  ];
  const { catalogue, series } = readStarterMacro(DATA_DIR);
  const told = readFileSync('docs/macro.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `us.'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, indicator = '', id, source = '', newest]) => ({
      ...{ indicator: indicator.replaceAll('`', ''), id, newest },
      source: source.split(',')[0],
    }));
  expect(told).toEqual(
    catalogue.map((row) => {
      const feed = feeds.find(({ seriesIds }) => seriesIds.includes(row.series_id));
      const held = series.find(({ seriesId }) => seriesId === row.series_id);
      return {
        indicator: row.indicator,
        id: row.series_id,
        source: feed === undefined ? '–' : NAMES[feed.agency],
        newest: held?.observations.at(-1)?.date ?? 'none',
      };
    }),
  );
});
