import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CALL_PATIENCE } from '../../../../src/app/clients.ts';
import { openAgencies } from '../../../../src/app/macro-online.ts';
import { SYNCED_SERIES } from '../../../../src/areas/macro/facts/agencies.ts';
import { readConfig } from '../../../../src/config.ts';
import { starterMacro } from '../../../starter.ts';
import { makeShelf } from './shelf.ts';

const NAMES = {
  bls: 'BLS',
  treasury: 'Treasury',
  new_york_fed: 'New York Fed',
  fed_board: 'Federal Reserve Board (sync)',
  bea: 'BEA (sync)',
  census: 'Census Bureau (sync)',
  fhfa: 'FHFA (sync)',
};

const options = { patience: CALL_PATIENCE, isSync: true };
const { feeds, close } = openAgencies(readConfig({}), makeShelf(), options);
await close();
const seriesOf = (isSynced: boolean) =>
  feeds
    .filter(({ agency }) => NAMES[agency].endsWith('(sync)') === isSynced)
    .flatMap(({ seriesIds }) => seriesIds);

it('the series that only a sync refreshes are those of the agencies with large files', () => {
  expect([...SYNCED_SERIES].sort()).toEqual(seriesOf(true).sort());
});

it('docs/data.md and the README state how many series need no key', () => {
  const live = seriesOf(false).length;
  const data = readFileSync('docs/data.md', 'utf8');
  expect(data).toContain(`${live} of the 56 indicators are refreshed on demand`);
  expect(data).toContain(`for ${SYNCED_SERIES.size} more indicators`);
  const readme = readFileSync('README.md', 'utf8');
  expect(readme).toContain(`it refreshes ${live} indicators`);
  expect(readme).toContain(`${live + SYNCED_SERIES.size} indicators from`);
});

it('docs/data.md lists every indicator with its keyless source and newest period', async () => {
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
      const feed = feeds.find(({ seriesIds }) => seriesIds.includes(row.series_id));
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
