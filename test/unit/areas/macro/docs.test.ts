import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SYNCED_SERIES } from '../../../../src/areas/macro/facts/agencies.ts';
import { createBlsFeed } from '../../../../src/areas/macro/sources/bls.ts';
import { createFedBoardFeeds } from '../../../../src/areas/macro/sources/fed-board.ts';
import { createTableFeeds } from '../../../../src/areas/macro/sources/file-feeds.ts';
import { createNewYorkFedFeeds } from '../../../../src/areas/macro/sources/new-york-fed.ts';
import { createTreasuryFeed } from '../../../../src/areas/macro/sources/treasury.ts';
import { starterMacro } from '../../../starter.ts';

const NAMES = {
  bls: 'BLS',
  treasury: 'Treasury',
  new_york_fed: 'New York Fed',
  fed_board: 'Federal Reserve Board (sync)',
  bea: 'BEA (sync)',
  census: 'Census Bureau (sync)',
  fhfa: 'FHFA (sync)',
};

const fail = () => Promise.reject(new Error('no network here'));
const NEVER = { get: fail, post: fail, download: fail };
const AT = { baseUrl: 'http://127.0.0.1:9' };
const LIVE = [
  createBlsFeed(NEVER, AT),
  createTreasuryFeed(NEVER, AT),
  ...createNewYorkFedFeeds(NEVER, AT),
];
const FILES = [
  ...createFedBoardFeeds(NEVER, AT),
  ...createTableFeeds(NEVER, 'bea', AT),
  ...createTableFeeds(NEVER, 'census', AT),
  ...createTableFeeds(NEVER, 'fhfa', AT),
];

it('only a sync refreshes the series from large files', () => {
  expect([...SYNCED_SERIES].sort()).toEqual(FILES.flatMap(({ seriesIds }) => seriesIds).sort());
});

it('the pages say how many series need no key', () => {
  const live = LIVE.flatMap(({ seriesIds }) => seriesIds).length;
  const data = readFileSync('docs/data.md', 'utf8');
  expect(data).toContain(`${live} of the 56 indicators are refreshed on demand`);
  expect(data).toContain(`for ${SYNCED_SERIES.size} more indicators`);
  const readme = readFileSync('README.md', 'utf8');
  expect(readme).toContain(`it refreshes ${live} indicators`);
  expect(readme).toContain(`${live + SYNCED_SERIES.size} indicators from`);
});

it('docs/data.md lists the source without a key and the newest figure of every indicator', async () => {
  const { catalogue, series } = await starterMacro();
  const table = readFileSync('docs/data.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `us.'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, indicator = '', id, source = '', newest]) => ({
      indicator: indicator.replaceAll('`', ''),
      id,
      newest,
      source: source.split(',')[0],
    }));
  expect(table).toEqual(
    catalogue.map((row) => {
      const feed = [...LIVE, ...FILES].find(({ seriesIds }) => seriesIds.includes(row.series_id));
      const stored = series.find(({ seriesId }) => seriesId === row.series_id);
      return {
        indicator: row.indicator,
        id: row.series_id,
        source: feed === undefined ? '–' : NAMES[feed.agency],
        newest: stored?.observations.at(-1)?.date ?? 'none',
      };
    }),
  );
});
