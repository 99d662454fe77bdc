import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createFredSource } from '../../../../src/areas/macro/sources/fred.ts';
import { type FredStandIn, makeSeries, startFred, TEST_KEY } from '../../../stand-ins/fred.ts';
import { FredHistory } from '../../../stand-ins/fred-history.ts';
import type { FredSettings, StandInSeries } from '../../../stand-ins/fred-responses.ts';
import { startClient } from './sources/start-agency.ts';

/**
 * A source that queries a stand-in through the real client without its pauses; both end with the
 * test.
 */
export async function startSource(
  series: readonly StandInSeries[] = [],
  settings: Partial<FredSettings> = {},
  apiKey: string = TEST_KEY,
) {
  const standIn = await startFred(series, settings);
  const said: string[] = [];
  onTestFinished(() => standIn.close());
  const client = startClient({ tries: 3, onPause: (reason) => said.push(reason) });
  const source = createFredSource(client, { baseUrl: standIn.url, apiKey });
  return { standIn, source, said };
}

/** The next request of `path` gets a recorded response. */
export function replay(standIn: FredStandIn, path: string, directory: string, file: string): void {
  standIn.fault(`/fred/${path}?`, [{ kind: 'body', body: readFileSync(join(directory, file)) }]);
}

/** Two months of a series with a revised and a missing value. */
export function payrolls() {
  return makeSeries({
    id: 'PAYEMS',
    title: 'All Employees,  Total Nonfarm',
    units: 'Thousands of Persons',
    frequency: 'Monthly, End of Period',
    history: new FredHistory()
      .publish('2026-04-03', { '2026-03-01': 158637 })
      .publish('2026-05-08', { '2026-03-01': 158621, '2026-04-01': null })
      .publish('2026-06-05', { '2026-03-01': 158650, '2026-04-01': '158829.0' }),
  });
}
